import { once } from 'node:events';
import { PgBoss, type QueueResult } from 'pg-boss';
import { QUEUES, QUEUE_NAMES, QUEUE_SCHEMA } from './queues.js';

/** pg-boss builds indexes one by one, at least this far apart, after a change of its own schema. */
const INDEX_INTERVAL_SECONDS = 10;
const INDEX_PATIENCE_MS = 15 * 60_000;

/**
 * Brings pg-boss's schema, our queues and their schedules up to date, as the role that owns the database, and
 * lets `muster_app` work with them: the application itself needs no right to make or change a table. Safe to
 * repeat, also after an attempt that broke off half-way; a few round trips when nothing is to be done. The
 * caller holds the migration lock, so nobody else does this at the same time.
 */
export async function installQueue(ownerUrl: string): Promise<void> {
  const boss = new PgBoss({
    connectionString: ownerUrl,
    application_name: 'muster-migrate',
    connectionTimeoutMillis: 2_000,
    schema: QUEUE_SCHEMA,
    max: 2,
    migrate: true,
    // Only the schema is wanted of this instance: no upkeep, no cron, no listening.
    supervise: false,
    schedule: false,
    bamIntervalSeconds: INDEX_INTERVAL_SECONDS,
  });
  const failure = new AbortController();
  boss.on('error', (error) => failure.abort(error));
  try {
    await boss.start();
    await finishIndexes(boss, failure.signal);
    await grantToApplication(boss);
    await createQueues(boss);
    await createSchedules(boss);
  } finally {
    await boss.stop({ graceful: false });
  }
}

/**
 * After an upgrade of pg-boss some of its indexes are still to be built, by an instance that may migrate. The
 * application's may not, so this one stays until they are done.
 */
async function finishIndexes(boss: PgBoss, failed: AbortSignal): Promise<void> {
  const given = AbortSignal.any([failed, AbortSignal.timeout(INDEX_PATIENCE_MS)]);
  for (;;) {
    // Listening starts before looking: what finishes in between is not missed.
    const progress = once(boss, 'bam', { signal: given });
    progress.catch(() => {});
    if ((await boss.getBamStatus()).every(({ status }) => status === 'completed')) return;
    await progress;
  }
}

async function grantToApplication(boss: PgBoss): Promise<void> {
  const { rows } = await boss.getDb().executeSql(MISSING_GRANTS);
  // A GRANT rewrites catalogue rows even when it changes nothing, so it is only given when one is missing.
  if (rows[0].missing) await boss.getDb().executeSql(GRANTS);
}

async function createQueues(boss: PgBoss): Promise<void> {
  const existing = new Map((await boss.getQueues(QUEUE_NAMES)).map((queue) => [queue.name, queue]));
  for (const name of QUEUE_NAMES) {
    const { policy, partition, ...changeable } = QUEUES[name].options;
    const queue = existing.get(name);
    if (!queue) await boss.createQueue(name, { policy, partition, ...changeable });
    else if (differs(changeable, queue)) await boss.updateQueue(name, changeable);
  }
}

async function createSchedules(boss: PgBoss): Promise<void> {
  const existing = new Map((await boss.getSchedules()).map((schedule) => [schedule.name, schedule.cron]));
  for (const name of QUEUE_NAMES) {
    const { cron } = QUEUES[name];
    // An occurrence that nobody was there for is made up for once.
    if (cron && existing.get(name) !== cron)
      await boss.schedule(name, cron, {}, { tz: 'UTC', missed: 'once' });
    if (!cron && existing.has(name)) await boss.unschedule(name);
  }
}

function differs(wanted: object, queue: QueueResult): boolean {
  return Object.entries(wanted).some(([option, value]) => queue[option as keyof QueueResult] !== value);
}

const MISSING_GRANTS = `
  SELECT NOT has_schema_privilege('muster_app', '${QUEUE_SCHEMA}', 'USAGE')
      OR EXISTS (
           SELECT FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
           WHERE relnamespace = '${QUEUE_SCHEMA}'::regnamespace AND relkind IN ('r', 'p')
             AND NOT has_table_privilege('muster_app', oid, privilege))
      OR EXISTS (
           SELECT FROM pg_proc
           WHERE pronamespace = '${QUEUE_SCHEMA}'::regnamespace
             AND NOT has_function_privilege('muster_app', oid, 'EXECUTE')) AS missing`;

const GRANTS = `
  GRANT USAGE ON SCHEMA ${QUEUE_SCHEMA} TO muster_app;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${QUEUE_SCHEMA} TO muster_app;
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${QUEUE_SCHEMA} TO muster_app;
  GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${QUEUE_SCHEMA} TO muster_app;
  ALTER DEFAULT PRIVILEGES IN SCHEMA ${QUEUE_SCHEMA} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO muster_app;
  ALTER DEFAULT PRIVILEGES IN SCHEMA ${QUEUE_SCHEMA} GRANT USAGE ON SEQUENCES TO muster_app;
  ALTER DEFAULT PRIVILEGES IN SCHEMA ${QUEUE_SCHEMA} GRANT EXECUTE ON FUNCTIONS TO muster_app;`;
