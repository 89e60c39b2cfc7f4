-- The database repeats what libs/domain decides: an illegal change of status cannot be committed, and no
-- change of status can exist without its history row, whoever makes it, psql included.
--
-- Times are those of the statement, not of its transaction: what comes later in a transaction is later.
--
-- Two kinds of trigger share the work on each table:
--   BEFORE … FOR EACH ROW       refuses what is illegal and fills in what the new status implies (timestamps).
--                               WHEN is evaluated without calling a function, so heartbeats cost nothing.
--   AFTER … FOR EACH STATEMENT  writes the history of the whole batch with one INSERT … SELECT: a coalesced
--                               statement of 500 rows stays one statement.

-- The state machines of libs/domain/src/*-states.ts. A test proves that both say the same.
INSERT INTO legal_transitions (machine, previous_status, new_status) VALUES
  ('task', '', 'queued'),
  ('task', 'queued', 'pending'),
  ('task', 'queued', 'failed'),
  ('task', 'queued', 'obsolete'),
  ('task', 'pending', 'accepted'),
  ('task', 'pending', 'failed'),
  ('task', 'pending', 'obsolete'),
  ('task', 'pending', 'queued'),
  ('task', 'accepted', 'completed'),
  ('task', 'accepted', 'failed'),
  ('task', 'accepted', 'obsolete'),
  ('calculation', '', 'pending'),
  ('calculation', 'pending', 'running'),
  ('calculation', 'pending', 'failed'),
  ('calculation', 'pending', 'stopped'),
  ('calculation', 'running', 'completed'),
  ('calculation', 'running', 'stopped'),
  ('calculation', 'running', 'failed'),
  ('calculation', 'completed', 'pending'),
  ('calculation', 'failed', 'pending'),
  ('calculation', 'stopped', 'pending'),
  ('registration', '', 'unregistered'),
  ('registration', '', 'pending'),
  ('registration', '', 'approved'),
  ('registration', 'unregistered', 'pending'),
  ('registration', 'unregistered', 'approved'),
  ('registration', 'pending', 'approved'),
  ('registration', 'pending', 'rejected'),
  ('registration', 'approved', 'unregistered'),
  ('registration', 'rejected', 'approved'),
  ('registration', 'rejected', 'unregistered'),
  ('presence', '', 'offline'),
  ('presence', '', 'online'),
  ('presence', 'offline', 'online'),
  ('presence', 'online', 'offline');

CREATE FUNCTION refuse_transition() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  machine text := TG_ARGV[0];
  previous_status text := CASE WHEN TG_OP = 'UPDATE' THEN to_jsonb(OLD) ->> TG_ARGV[1] ELSE 'nothing' END;
BEGIN
  RAISE EXCEPTION 'a % cannot go from % to %', machine, previous_status, to_jsonb(NEW) ->> TG_ARGV[1]
    USING ERRCODE = 'MU001', TABLE = TG_TABLE_NAME, COLUMN = TG_ARGV[1];
END $$;

-- Puts a machine's legal transitions on guard over a column. They are written into the WHEN of a trigger, so
-- that a legal change calls nothing at all. A migration that changes legal_transitions calls this again.
CREATE FUNCTION guard_status(guarded regclass, column_name text, guarding text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  births text;
  changes text;
BEGIN
  SELECT string_agg(quote_literal(new_status), ', ') FILTER (WHERE previous_status = ''),
         string_agg(format('(%L, %L)', previous_status, new_status), ', ') FILTER (WHERE previous_status <> '')
  INTO births, changes
  FROM legal_transitions WHERE machine = guarding;
  EXECUTE format('CREATE OR REPLACE TRIGGER %1$s_birth BEFORE INSERT ON %2$s FOR EACH ROW
                  WHEN (NEW.%3$I::text NOT IN (%4$s)) EXECUTE FUNCTION refuse_transition(%1$L, %3$L)',
                 guarding, guarded, column_name, births);
  EXECUTE format('CREATE OR REPLACE TRIGGER %1$s_change BEFORE UPDATE ON %2$s FOR EACH ROW
                  WHEN (OLD.%3$I <> NEW.%3$I AND (OLD.%3$I::text, NEW.%3$I::text) NOT IN (%4$s))
                  EXECUTE FUNCTION refuse_transition(%1$L, %3$L)',
                 guarding, guarded, column_name, changes);
END $$;

SELECT guard_status('tasks', 'status', 'task');
SELECT guard_status('schedule_calculations', 'status', 'calculation');
SELECT guard_status('managers', 'registration_status', 'registration');
SELECT guard_status('managers', 'status', 'presence');

-- Who changed the status and why goes into the history. The application's statements always say so. A person
-- at a psql prompt need not: what such a statement leaves untouched was said of the change before, and is not
-- repeated as though it were said of this one.
CREATE FUNCTION name_cause() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.status_reason IS NOT DISTINCT FROM OLD.status_reason THEN NEW.status_reason := NULL; END IF;
    IF NEW.status_metadata IS NOT DISTINCT FROM OLD.status_metadata THEN NEW.status_metadata := NULL; END IF;
    IF NEW.status_actor IS NOT DISTINCT FROM OLD.status_actor THEN NEW.status_actor := NULL; END IF;
  END IF;
  NEW.status_actor := coalesce(NEW.status_actor, 'sql:' || session_user);
  RETURN NEW;
END $$;

-- ---------------------------------------------------------------------------------------------------- tasks

ALTER TABLE tasks
  ADD CONSTRAINT tasks_assigned_at_check CHECK (assigned_at IS NOT NULL OR status NOT IN ('pending', 'accepted', 'completed')),
  ADD CONSTRAINT tasks_accepted_at_check CHECK (accepted_at IS NOT NULL OR status NOT IN ('accepted', 'completed')),
  ADD CONSTRAINT tasks_completed_at_check CHECK ((completed_at IS NOT NULL) = (status IN ('completed', 'failed', 'obsolete'))),
  ADD CONSTRAINT tasks_timeout_retry_count_check CHECK (timeout_retry_count >= 0);

CREATE FUNCTION tasks_fill() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  CASE NEW.status
    WHEN 'queued' THEN
      -- Back in the queue: nobody's, and no clock runs.
      NEW.assigned_manager_id := NULL;
      NEW.assigned_at := NULL;
      NEW.acceptance_deadline_at := NULL;
      NEW.timeout_retry_count := OLD.timeout_retry_count + 1;
    WHEN 'pending' THEN
      NEW.assigned_at := coalesce(NEW.assigned_at, statement_timestamp());
    WHEN 'accepted' THEN
      NEW.accepted_at := coalesce(NEW.accepted_at, statement_timestamp());
    ELSE
      NEW.completed_at := coalesce(NEW.completed_at, statement_timestamp());
  END CASE;
  RETURN NEW;
END $$;

CREATE TRIGGER tasks_fill BEFORE UPDATE ON tasks
  FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION tasks_fill();
CREATE TRIGGER tasks_cause_of_birth BEFORE INSERT ON tasks
  FOR EACH ROW WHEN (NEW.status_actor IS NULL) EXECUTE FUNCTION name_cause();
CREATE TRIGGER tasks_cause_of_change BEFORE UPDATE ON tasks
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND current_user <> 'muster_app') EXECUTE FUNCTION name_cause();

-- SECURITY DEFINER: the application itself may not write history, only its triggers may. Where such functions
-- look for tables, and that nobody else may call them, is settled with the roles in the next migration.
CREATE FUNCTION tasks_record_insert() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO task_history (task_id, previous_status, new_status, reason, metadata, actor)
  SELECT n.task_id, NULL, n.status, n.status_reason, n.status_metadata, n.status_actor
  FROM new_rows n;
  RETURN NULL;
END $$;

CREATE FUNCTION tasks_record_update() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO task_history (task_id, previous_status, new_status, reason, metadata, actor)
  SELECT n.task_id, o.status, n.status, n.status_reason, n.status_metadata, n.status_actor
  FROM new_rows n
  JOIN old_rows o USING (task_id)
  WHERE n.status IS DISTINCT FROM o.status;
  RETURN NULL;
END $$;

CREATE TRIGGER tasks_record_insert AFTER INSERT ON tasks
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tasks_record_insert();
CREATE TRIGGER tasks_record_update AFTER UPDATE ON tasks
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tasks_record_update();

-- --------------------------------------------------------------------------------------------- calculations

ALTER TABLE schedule_calculations
  ADD CONSTRAINT schedule_calculations_completed_at_check
    CHECK ((completed_at IS NOT NULL) = (status IN ('completed', 'failed', 'stopped'))),
  ADD CONSTRAINT schedule_calculations_started_at_check CHECK (started_at IS NOT NULL OR status NOT IN ('running', 'completed')),
  ADD CONSTRAINT schedule_calculations_generation_check CHECK (generation >= 1),
  ADD CONSTRAINT schedule_calculations_allocated_cores_check CHECK (allocated_cores >= 1);

CREATE FUNCTION schedule_calculations_fill() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  CASE NEW.status
    WHEN 'pending' THEN
      -- Run again: the next generation, whose clocks have not started.
      NEW.generation := OLD.generation + 1;
      NEW.started_at := NULL;
      NEW.completed_at := NULL;
      NEW.last_heartbeat := NULL;
      NEW.stop_deadline_at := NULL;
    WHEN 'running' THEN
      NEW.started_at := coalesce(NEW.started_at, statement_timestamp());
      NEW.last_heartbeat := coalesce(NEW.last_heartbeat, statement_timestamp());
    ELSE
      NEW.completed_at := coalesce(NEW.completed_at, statement_timestamp());
  END CASE;
  RETURN NEW;
END $$;

CREATE TRIGGER schedule_calculations_fill BEFORE UPDATE ON schedule_calculations
  FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION schedule_calculations_fill();
CREATE TRIGGER schedule_calculations_cause_of_birth BEFORE INSERT ON schedule_calculations
  FOR EACH ROW WHEN (NEW.status_actor IS NULL) EXECUTE FUNCTION name_cause();
CREATE TRIGGER schedule_calculations_cause_of_change BEFORE UPDATE ON schedule_calculations
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND current_user <> 'muster_app') EXECUTE FUNCTION name_cause();

-- The generation is a fence: it moves by one, with a re-run, and in no other way.
CREATE FUNCTION refuse_generation_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the generation of a calculation changes only when it is run again'
    USING ERRCODE = 'MU001', DETAIL = format('calculation %s, generation %s to %s', OLD.schedule_id, OLD.generation, NEW.generation);
END $$;

CREATE TRIGGER schedule_calculations_generation BEFORE UPDATE ON schedule_calculations
  FOR EACH ROW WHEN (NEW.generation <> OLD.generation
                     AND NOT (NEW.status = 'pending' AND OLD.status <> 'pending' AND NEW.generation = OLD.generation + 1))
  EXECUTE FUNCTION refuse_generation_change();

CREATE FUNCTION schedule_calculations_record_insert() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO schedule_history (schedule_id, generation, previous_status, new_status, reason, metadata, actor)
  SELECT n.schedule_id, n.generation, NULL, n.status, n.status_reason, n.status_metadata, n.status_actor
  FROM new_rows n;
  RETURN NULL;
END $$;

CREATE FUNCTION schedule_calculations_record_update() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO schedule_history (schedule_id, generation, previous_status, new_status, reason, metadata, actor)
  SELECT n.schedule_id, n.generation, o.status, n.status, n.status_reason, n.status_metadata, n.status_actor
  FROM new_rows n
  JOIN old_rows o USING (schedule_id)
  WHERE n.status IS DISTINCT FROM o.status;
  RETURN NULL;
END $$;

CREATE TRIGGER schedule_calculations_record_insert AFTER INSERT ON schedule_calculations
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION schedule_calculations_record_insert();
CREATE TRIGGER schedule_calculations_record_update AFTER UPDATE ON schedule_calculations
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION schedule_calculations_record_update();

-- ------------------------------------------------------------------------------------------------- managers

ALTER TABLE managers
  ADD CONSTRAINT managers_approved_at_check CHECK (approved_at IS NOT NULL OR registration_status <> 'approved'),
  ADD CONSTRAINT managers_total_cores_check CHECK (total_cores >= 0),
  ADD CONSTRAINT managers_max_parallel_check CHECK (max_parallel_per_schedule >= 0),
  ADD CONSTRAINT managers_secret_hash_check CHECK (octet_length(secret_hash) = 32);

CREATE FUNCTION managers_fill() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.approved_at := statement_timestamp();
  RETURN NEW;
END $$;

CREATE TRIGGER managers_fill BEFORE INSERT OR UPDATE ON managers
  FOR EACH ROW WHEN (NEW.registration_status = 'approved' AND NEW.approved_at IS NULL)
  EXECUTE FUNCTION managers_fill();
CREATE TRIGGER managers_cause_of_birth BEFORE INSERT ON managers
  FOR EACH ROW WHEN (NEW.status_actor IS NULL) EXECUTE FUNCTION name_cause();
CREATE TRIGGER managers_cause_of_change BEFORE UPDATE ON managers
  FOR EACH ROW WHEN (current_user <> 'muster_app'
    AND (OLD.status, OLD.registration_status, OLD.draining, OLD.total_cores, OLD.max_parallel_per_schedule)
    IS DISTINCT FROM (NEW.status, NEW.registration_status, NEW.draining, NEW.total_cores, NEW.max_parallel_per_schedule))
  EXECUTE FUNCTION name_cause();

-- A manager has two machines (is it let in, is it there) and three figures that decide what it can take.
-- One history row holds all of them as they were after the change: the fleet at any instant is the last
-- row of each manager before it.
CREATE FUNCTION managers_record_insert() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO manager_history (manager_id, previous_status, new_status, previous_registration_status,
      new_registration_status, draining, total_cores, max_parallel_per_schedule, reason, metadata, actor)
  SELECT n.manager_id, NULL, n.status, NULL, n.registration_status,
         n.draining, n.total_cores, n.max_parallel_per_schedule, n.status_reason, n.status_metadata, n.status_actor
  FROM new_rows n;
  RETURN NULL;
END $$;

CREATE FUNCTION managers_record_update() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO manager_history (manager_id, previous_status, new_status, previous_registration_status,
      new_registration_status, draining, total_cores, max_parallel_per_schedule, reason, metadata, actor)
  SELECT n.manager_id, o.status, n.status, o.registration_status, n.registration_status,
         n.draining, n.total_cores, n.max_parallel_per_schedule, n.status_reason, n.status_metadata, n.status_actor
  FROM new_rows n
  JOIN old_rows o USING (manager_id)
  WHERE (n.status, n.registration_status, n.draining, n.total_cores, n.max_parallel_per_schedule)
    IS DISTINCT FROM (o.status, o.registration_status, o.draining, o.total_cores, o.max_parallel_per_schedule);
  RETURN NULL;
END $$;

CREATE TRIGGER managers_record_insert AFTER INSERT ON managers
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION managers_record_insert();
CREATE TRIGGER managers_record_update AFTER UPDATE ON managers
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION managers_record_update();

-- ---------------------------------------------------------------------------------------------- identities

-- The statement triggers pair old and new rows by their id, so an id that changed would slip past them.
CREATE FUNCTION refuse_id_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the id of a row in % cannot change', TG_TABLE_NAME USING ERRCODE = 'MU001';
END $$;

CREATE TRIGGER tasks_id BEFORE UPDATE ON tasks
  FOR EACH ROW WHEN (NEW.task_id <> OLD.task_id) EXECUTE FUNCTION refuse_id_change();
CREATE TRIGGER schedule_calculations_id BEFORE UPDATE ON schedule_calculations
  FOR EACH ROW WHEN (NEW.schedule_id <> OLD.schedule_id) EXECUTE FUNCTION refuse_id_change();
CREATE TRIGGER managers_id BEFORE UPDATE ON managers
  FOR EACH ROW WHEN (NEW.manager_id <> OLD.manager_id) EXECUTE FUNCTION refuse_id_change();

-- --------------------------------------------------------------------------------------------------- events

-- A live view asks for "what came after seq 4711". A sequence alone would lie to it: 4713 may commit before
-- 4712, and who has seen 4713 never asks for 4712 again. Writers of events therefore queue up on one lock
-- from their number to their commit, and seq is commit order. Events are written last in a transaction and
-- many at a time, so the lock is held for one commit. Whoever holds it longer, a forgotten psql for example,
-- costs the others two seconds and a refusal, not all their connections.
CREATE FUNCTION system_events_in_commit_order() RETURNS trigger
LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('muster.system_events', 0));
  RETURN NULL;
END $$;

-- A number that somebody made up would be out of order for ever.
DROP SEQUENCE system_events_seq_seq CASCADE;
ALTER TABLE system_events ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY;

CREATE TRIGGER system_events_in_commit_order BEFORE INSERT ON system_events
  FOR EACH STATEMENT EXECUTE FUNCTION system_events_in_commit_order();

-- ------------------------------------------------------------------------------------------------- accounts

ALTER TABLE users
  ADD CONSTRAINT users_username_check CHECK (username <> '' AND length(username) <= 64),
  ADD CONSTRAINT users_password_check CHECK (password_hash IS NOT NULL OR role = 'guest');

-- "Admin" and "admin" would be two people only to a machine.
CREATE UNIQUE INDEX users_username_folded_key ON users (lower(username));
