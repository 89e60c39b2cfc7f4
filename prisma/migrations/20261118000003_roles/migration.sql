-- Who may do what in the database.
--
-- The role that runs the migrations owns everything. The application takes the role `muster_app` on each of
-- its connections: it works with all tables but can neither change nor remove history and events. Analysts
-- use `muster_reporting`, which sees the schema `reporting` and nothing else.
--
-- Roles belong to the whole server, so they may be there already; a server on which we may not make roles
-- needs them made once by its administrator, and says so.
DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['muster_app', 'muster_reporting'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
      EXCEPTION
        WHEN duplicate_object OR unique_violation THEN NULL; -- another database of this server was first
        WHEN insufficient_privilege THEN
          RAISE EXCEPTION 'the role % does not exist and % may not create it', wanted, current_user
            USING HINT = format('As an administrator: CREATE ROLE %I NOLOGIN; GRANT %I TO %I;', wanted, wanted, current_user);
      END;
    END IF;
  END LOOP;

  -- The application signs in as the owner and puts on muster_app. A superuser needs no grant for that, and
  -- whoever made the role may grant it to itself; somebody else's role must have been granted before.
  IF NOT pg_has_role(current_user, 'muster_app', 'USAGE') THEN
    BEGIN
      EXECUTE format('GRANT muster_app TO %I', current_user);
    EXCEPTION WHEN insufficient_privilege THEN
      RAISE EXCEPTION '% may not take the role muster_app', current_user
        USING HINT = format('As an administrator: GRANT muster_app TO %I;', current_user);
    END;
  END IF;
END $$;

DO $$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO muster_app', current_schema());
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO muster_app', current_schema());
  EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO muster_app', current_schema());
  -- Tables of later migrations: the same, unless they say otherwise.
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO muster_app', current_schema());
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT USAGE ON SEQUENCES TO muster_app', current_schema());
END $$;

-- History is written by triggers alone; events are added and never touched again.
REVOKE INSERT, UPDATE, DELETE ON task_history, schedule_history, manager_history FROM muster_app;
REVOKE UPDATE, DELETE ON system_events FROM muster_app;
REVOKE INSERT, UPDATE, DELETE ON legal_transitions, _prisma_migrations FROM muster_app;
REVOKE UPDATE, DELETE ON server_secrets FROM muster_app;
-- A task that is gone could be born again under its id, out of a final state and with an old fence.
REVOKE DELETE ON tasks, schedule_calculations, task_results FROM muster_app;

-- A function that runs with its owner's rights must find the owner's tables and nobody else's: temporary tables,
-- which are anybody's, are looked at last. And nobody calls our functions but our triggers, which need no right.
DO $$
DECLARE
  ours regprocedure;
BEGIN
  FOREACH ours IN ARRAY ARRAY[
    'tasks_record_insert()', 'tasks_record_update()',
    'schedule_calculations_record_insert()', 'schedule_calculations_record_update()',
    'managers_record_insert()', 'managers_record_update()'
  ]::regprocedure[] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', ours, current_schema());
  END LOOP;
  FOR ours IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proowner = current_user::regrole LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', ours);
  END LOOP;
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;

-- ------------------------------------------------------------------------------------------------ reporting

CREATE SCHEMA IF NOT EXISTS reporting;
COMMENT ON SCHEMA reporting IS 'Stable views for analysts. Times are UTC.';
GRANT USAGE ON SCHEMA reporting TO muster_reporting;
ALTER DEFAULT PRIVILEGES IN SCHEMA reporting GRANT SELECT ON TABLES TO muster_reporting;

CREATE VIEW reporting.admin_actions AS
  SELECT event_id, "timestamp" AT TIME ZONE 'UTC' AS happened_at, actor, event_type::text AS action, description
  FROM system_events
  WHERE event_type IN ('admin_action', 'manager_approved', 'manager_rejected', 'manager_revoked',
                       'manager_draining', 'manager_resumed');
COMMENT ON VIEW reporting.admin_actions IS 'Who did what: one row per action of an administrator.';
COMMENT ON COLUMN reporting.admin_actions.event_id IS 'Identifies the action.';
COMMENT ON COLUMN reporting.admin_actions.happened_at IS 'When it was done, UTC.';
COMMENT ON COLUMN reporting.admin_actions.actor IS 'Who did it, for example user:admin or api-key:deploy.';
COMMENT ON COLUMN reporting.admin_actions.action IS 'Kind of action: the event type.';
COMMENT ON COLUMN reporting.admin_actions.description IS 'What was done, in words.';

CREATE VIEW reporting.events_daily AS
  SELECT ("timestamp" AT TIME ZONE 'UTC')::date AS day, event_type::text AS event_type, severity::text AS severity,
         count(*) AS events
  FROM system_events
  GROUP BY 1, 2, 3;
COMMENT ON VIEW reporting.events_daily IS 'Events by day, type and severity.';
COMMENT ON COLUMN reporting.events_daily.day IS 'The day, UTC.';
COMMENT ON COLUMN reporting.events_daily.event_type IS 'Type of the events.';
COMMENT ON COLUMN reporting.events_daily.severity IS 'info, warning, error or critical.';
COMMENT ON COLUMN reporting.events_daily.events IS 'How many there were.';
GRANT SELECT ON ALL TABLES IN SCHEMA reporting TO muster_reporting;
