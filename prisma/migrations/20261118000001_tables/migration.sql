-- Tables, enums and indexes, as `prisma/*.prisma` describes them (generated). By hand: the indexes of
-- system_events by manager, task, schedule and job are partial, because most events name at most one.

-- CreateEnum
CREATE TYPE "user_role" AS ENUM ('admin', 'client', 'guest', 'viewer');

-- CreateEnum
CREATE TYPE "calculation_status" AS ENUM ('pending', 'running', 'completed', 'failed', 'stopped');

-- CreateEnum
CREATE TYPE "event_severity" AS ENUM ('info', 'warning', 'error', 'critical');

-- CreateEnum
CREATE TYPE "event_type" AS ENUM ('manager_registered', 'manager_offline', 'task_failed', 'engine_crash', 'manager_approved', 'manager_rejected', 'manager_revoked', 'manager_online', 'manager_draining', 'manager_resumed', 'task_timeout', 'schedule_timeout', 'schedule_missing', 'state_out_of_sync', 'engine_recovered', 'unexpected_schedule_stopped', 'stale_files_removed', 'orphan_terminated', 'enrolment_refused', 'duplicate_manager', 'signed_in', 'auth_failed', 'access_denied', 'worker_connected', 'worker_lost', 'worker_set_aside', 'cancel_ignored', 'job_dead_lettered', 'circuit_opened', 'circuit_closed', 'database_degraded', 'admin_action');

-- CreateEnum
CREATE TYPE "manager_status" AS ENUM ('offline', 'online');

-- CreateEnum
CREATE TYPE "registration_status" AS ENUM ('unregistered', 'pending', 'approved', 'rejected');

-- CreateEnum
CREATE TYPE "task_type" AS ENUM ('start_calculation', 'stop_calculation');

-- CreateEnum
CREATE TYPE "task_status" AS ENUM ('queued', 'pending', 'accepted', 'completed', 'failed', 'obsolete');

-- CreateEnum
CREATE TYPE "result_type" AS ENUM ('success', 'failure');

-- CreateTable
CREATE TABLE "users" (
    "user_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "username" TEXT NOT NULL,
    "password_hash" TEXT,
    "role" "user_role" NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
    "password_changed_at" TIMESTAMPTZ(6) DEFAULT statement_timestamp(),
    "disabled_at" TIMESTAMPTZ(6),

    CONSTRAINT "users_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "session_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "ended_at" TIMESTAMPTZ(6),

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("session_id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "api_key_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "name" TEXT NOT NULL,
    "role" "user_role" NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
    "expires_at" TIMESTAMPTZ(6),
    "last_used_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("api_key_id")
);

-- CreateTable
CREATE TABLE "sign_in_throttles" (
    "bucket" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "window_ends_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "sign_in_throttles_pkey" PRIMARY KEY ("bucket")
);

-- CreateTable
CREATE TABLE "schedule_calculations" (
    "schedule_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "assigned_manager_id" UUID,
    "status" "calculation_status" NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
    "started_at" TIMESTAMPTZ(6),
    "completed_at" TIMESTAMPTZ(6),
    "last_heartbeat" TIMESTAMPTZ(6),
    "stop_deadline_at" TIMESTAMPTZ(6),
    "calculation_metadata" JSONB,
    "output_path" TEXT,
    "error_message" TEXT,
    "generation" INTEGER NOT NULL DEFAULT 1,
    "allocated_cores" INTEGER,
    "status_reason" TEXT,
    "status_metadata" JSONB,
    "status_actor" TEXT,

    CONSTRAINT "schedule_calculations_pkey" PRIMARY KEY ("schedule_id")
);

-- CreateTable
CREATE TABLE "schedule_history" (
    "history_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "seq" BIGSERIAL NOT NULL,
    "schedule_id" UUID NOT NULL,
    "generation" INTEGER NOT NULL,
    "previous_status" "calculation_status",
    "new_status" "calculation_status" NOT NULL,
    "reason" TEXT,
    "metadata" JSONB,
    "actor" TEXT,
    "timestamp" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "schedule_history_pkey" PRIMARY KEY ("history_id")
);

-- CreateTable
CREATE TABLE "system_events" (
    "event_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "seq" BIGSERIAL NOT NULL,
    "manager_id" UUID,
    "task_id" UUID,
    "schedule_id" UUID,
    "job_id" UUID,
    "event_type" "event_type" NOT NULL,
    "description" TEXT NOT NULL,
    "event_data" JSONB,
    "severity" "event_severity" NOT NULL DEFAULT 'info',
    "actor" TEXT NOT NULL,
    "timestamp" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "system_events_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "managers" (
    "manager_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "manager_name" TEXT NOT NULL,
    "host_address" TEXT,
    "port" INTEGER,
    "status" "manager_status" NOT NULL DEFAULT 'offline',
    "registration_status" "registration_status" NOT NULL DEFAULT 'unregistered',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
    "last_seen" TIMESTAMPTZ(6),
    "approved_at" TIMESTAMPTZ(6),
    "current_engine_state" JSONB,
    "max_parallel_per_schedule" INTEGER NOT NULL DEFAULT 1,
    "total_cores" INTEGER NOT NULL DEFAULT 1,
    "secret_hash" BYTEA,
    "fingerprint" TEXT,
    "agent_version" TEXT,
    "draining" BOOLEAN NOT NULL DEFAULT false,
    "status_reason" TEXT,
    "status_metadata" JSONB,
    "status_actor" TEXT,

    CONSTRAINT "managers_pkey" PRIMARY KEY ("manager_id")
);

-- CreateTable
CREATE TABLE "manager_history" (
    "history_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "seq" BIGSERIAL NOT NULL,
    "manager_id" UUID NOT NULL,
    "previous_status" "manager_status",
    "new_status" "manager_status" NOT NULL,
    "previous_registration_status" "registration_status",
    "new_registration_status" "registration_status" NOT NULL,
    "draining" BOOLEAN NOT NULL,
    "total_cores" INTEGER NOT NULL,
    "max_parallel_per_schedule" INTEGER NOT NULL,
    "reason" TEXT,
    "metadata" JSONB,
    "actor" TEXT,
    "timestamp" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "manager_history_pkey" PRIMARY KEY ("history_id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "account_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "status_code" INTEGER NOT NULL,
    "body" JSON,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("account_id","key")
);

-- CreateTable
CREATE TABLE "leadership" (
    "duty" TEXT NOT NULL,
    "term" BIGINT NOT NULL,
    "holder" UUID NOT NULL,
    "acquired_at" TIMESTAMPTZ(6) NOT NULL,
    "renewed_at" TIMESTAMPTZ(6) NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "leadership_pkey" PRIMARY KEY ("duty")
);

-- CreateTable
CREATE TABLE "server_secrets" (
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),

    CONSTRAINT "server_secrets_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "legal_transitions" (
    "machine" TEXT NOT NULL,
    "previous_status" TEXT NOT NULL,
    "new_status" TEXT NOT NULL,

    CONSTRAINT "legal_transitions_pkey" PRIMARY KEY ("machine","previous_status","new_status")
);

-- CreateTable
CREATE TABLE "tasks" (
    "task_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "schedule_id" UUID NOT NULL,
    "assigned_manager_id" UUID,
    "task_type" "task_type" NOT NULL,
    "status" "task_status" NOT NULL DEFAULT 'queued',
    "task_data_path" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
    "assigned_at" TIMESTAMPTZ(6),
    "accepted_at" TIMESTAMPTZ(6),
    "completed_at" TIMESTAMPTZ(6),
    "acceptance_deadline_at" TIMESTAMPTZ(6),
    "execution_deadline_at" TIMESTAMPTZ(6),
    "timeout_retry_count" INTEGER NOT NULL DEFAULT 0,
    "error_message" TEXT,
    "status_reason" TEXT,
    "status_metadata" JSONB,
    "status_actor" TEXT,

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("task_id")
);

-- CreateTable
CREATE TABLE "task_results" (
    "result_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "task_id" UUID NOT NULL,
    "result_type" "result_type" NOT NULL,
    "result_data" JSONB,
    "output_file_path" TEXT,
    "error_details" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
    "file_size_bytes" BIGINT,

    CONSTRAINT "task_results_pkey" PRIMARY KEY ("result_id")
);

-- CreateTable
CREATE TABLE "task_history" (
    "history_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "seq" BIGSERIAL NOT NULL,
    "task_id" UUID NOT NULL,
    "previous_status" "task_status",
    "new_status" "task_status" NOT NULL,
    "reason" TEXT,
    "metadata" JSONB,
    "actor" TEXT,
    "timestamp" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "task_history_pkey" PRIMARY KEY ("history_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_username_key" ON "users"("username");

-- CreateIndex
CREATE INDEX "users_newest_idx" ON "users"("created_at" DESC, "user_id" DESC);

-- CreateIndex
CREATE INDEX "sessions_user_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "sessions_expiry_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys"("key_hash");

-- CreateIndex
CREATE INDEX "api_keys_newest_idx" ON "api_keys"("created_at" DESC, "api_key_id" DESC);

-- CreateIndex
CREATE INDEX "sign_in_throttles_expiry_idx" ON "sign_in_throttles"("window_ends_at");

-- CreateIndex
CREATE INDEX "schedule_calculations_newest_idx" ON "schedule_calculations"("created_at" DESC, "schedule_id" DESC);

-- CreateIndex
CREATE INDEX "schedule_calculations_status_idx" ON "schedule_calculations"("status", "created_at" DESC, "schedule_id" DESC);

-- CreateIndex
CREATE INDEX "schedule_calculations_manager_idx" ON "schedule_calculations"("assigned_manager_id", "status");

-- CreateIndex
CREATE UNIQUE INDEX "schedule_history_seq_key" ON "schedule_history"("seq");

-- CreateIndex
CREATE INDEX "schedule_history_schedule_idx" ON "schedule_history"("schedule_id", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "system_events_seq_key" ON "system_events"("seq");

-- CreateIndex
CREATE INDEX "system_events_timestamp_idx" ON "system_events"("timestamp");

-- CreateIndex
CREATE INDEX "system_events_type_idx" ON "system_events"("event_type", "seq");

-- CreateIndex
CREATE INDEX "system_events_severity_idx" ON "system_events"("severity", "seq");

-- CreateIndex
CREATE INDEX "system_events_actor_idx" ON "system_events"("actor", "seq");

-- CreateIndex
CREATE INDEX "system_events_manager_idx" ON "system_events"("manager_id", "seq") WHERE "manager_id" IS NOT NULL;

-- CreateIndex
CREATE INDEX "system_events_task_idx" ON "system_events"("task_id", "seq") WHERE "task_id" IS NOT NULL;

-- CreateIndex
CREATE INDEX "system_events_schedule_idx" ON "system_events"("schedule_id", "seq") WHERE "schedule_id" IS NOT NULL;

-- CreateIndex
CREATE INDEX "system_events_job_idx" ON "system_events"("job_id", "seq") WHERE "job_id" IS NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "managers_secret_hash_key" ON "managers"("secret_hash");

-- CreateIndex
CREATE INDEX "managers_registration_status_idx" ON "managers"("registration_status", "status");

-- CreateIndex
CREATE INDEX "managers_newest_idx" ON "managers"("created_at" DESC, "manager_id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "manager_history_seq_key" ON "manager_history"("seq");

-- CreateIndex
CREATE INDEX "manager_history_manager_idx" ON "manager_history"("manager_id", "seq");

-- CreateIndex
CREATE INDEX "idempotency_keys_expiry_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE INDEX "tasks_newest_idx" ON "tasks"("created_at" DESC, "task_id" DESC);

-- CreateIndex
CREATE INDEX "tasks_status_idx" ON "tasks"("status", "created_at" DESC, "task_id" DESC);

-- CreateIndex
CREATE INDEX "tasks_schedule_idx" ON "tasks"("schedule_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "tasks_manager_idx" ON "tasks"("assigned_manager_id", "status");

-- CreateIndex
CREATE UNIQUE INDEX "task_results_task_id_key" ON "task_results"("task_id");

-- CreateIndex
CREATE UNIQUE INDEX "task_history_seq_key" ON "task_history"("seq");

-- CreateIndex
CREATE INDEX "task_history_task_idx" ON "task_history"("task_id", "seq");

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "schedule_calculations" ADD CONSTRAINT "schedule_calculations_assigned_manager_id_fkey" FOREIGN KEY ("assigned_manager_id") REFERENCES "managers"("manager_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_schedule_id_fkey" FOREIGN KEY ("schedule_id") REFERENCES "schedule_calculations"("schedule_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_assigned_manager_id_fkey" FOREIGN KEY ("assigned_manager_id") REFERENCES "managers"("manager_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "task_results" ADD CONSTRAINT "task_results_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("task_id") ON DELETE RESTRICT ON UPDATE CASCADE;
