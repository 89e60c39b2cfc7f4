import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describeAddress } from '../connection.js';
import { isUnavailable } from '../errors.js';
import { giveUp } from '../pool.js';
import { projectRoot } from '../project-root.js';
import { installQueue } from '../queue/install.js';
import { withSchemaEngine, readMigrations } from './schema-engine.js';

/** The database cannot be brought to this version's schema; the message says why in a sentence. */
class MigrationFailed extends Error {}

const OLDEST_SERVER = 15;
const MIGRATION_LOCK = `hashtextextended('muster.migrations', 0)`;
/** The one that Prisma itself takes, whoever runs it. */
const PRISMA_LOCK = 72_707_369;
const ASK_AGAIN_MS = 100;

/**
 * Brings the schema up to date as the owner of DATABASE_URL. Any number of processes may start at once: the
 * first one migrates under a lock, the others wait for it and find nothing left to do.
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'muster-migrate',
    // For the short statements here; the migrations themselves, over a connection of their own, may take long.
    connectionTimeoutMillis: 2_000,
    query_timeout: 5_000,
  });
  // Lost while it only holds the lock, it is found out by whoever uses it next.
  client.on('error', () => {});
  try {
    await client.connect();
    await requireServerVersion(client, url);
    await takeLock(client);
    const applied = await applyMissing(client, url);
    await installQueue(url);
    return applied;
  } finally {
    // Ending the connection gives the lock back, whatever happened. A silent one would never say that it ended.
    giveUp(client);
  }
}

/** Asked for again and again: a statement that waits for long looks like one whose answer was lost. */
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS taken`);
    if (rows[0].taken) return;
    await delay(ASK_AGAIN_MS);
  }
}

async function requireServerVersion(client: pg.Client, url: string): Promise<void> {
  const { rows } = await client.query<{ major: number; version: string }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('server_version') AS version`,
  );
  const server = rows[0]!;
  if (server.major < OLDEST_SERVER) {
    throw new MigrationFailed(
      `PostgreSQL ${OLDEST_SERVER} or later is needed, and ${describeAddress(url)} is ${server.version}`,
    );
  }
}

async function applyMissing(client: pg.Client, url: string): Promise<string[]> {
  const schemaDirectory = path.join(projectRoot(), 'prisma');
  const migrationsList = await readMigrations(schemaDirectory);
  const done = await appliedNames(client);
  // Looking first spares the usual start the engine's own, slower look.
  if (migrationsList.migrationDirectories.every((migration) => done.has(migration.path))) return [];
  await closeBrokenOff(client);
  try {
    const { appliedMigrationNames } = await withSchemaEngine(url, schemaDirectory, (engine) =>
      engine.applyMigrations({ migrationsList, filters: { externalTables: [], externalEnums: [] } }),
    );
    return appliedMigrationNames;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    throw new MigrationFailed(`The database could not be migrated: ${firstLine(error)}`, { cause: error });
  }
}

/**
 * A migration and its record as finished are committed together. One that was begun and is not finished was
 * therefore rolled back, with the process or the server that was busy with it; it is recorded as such, or
 * Prisma would refuse to go on.
 */
async function closeBrokenOff(client: pg.Client): Promise<void> {
  await client.query(`
    DO $$ BEGIN
      IF to_regclass('_prisma_migrations') IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock(${PRISMA_LOCK});
        UPDATE _prisma_migrations SET rolled_back_at = clock_timestamp()
        WHERE finished_at IS NULL AND rolled_back_at IS NULL;
      END IF;
    END $$`);
}

async function appliedNames(client: pg.Client): Promise<Set<string>> {
  const { rows: found } = await client.query(`SELECT to_regclass('_prisma_migrations') AS found`);
  if (found[0].found === null) return new Set();
  const { rows } = await client.query<{ migration_name: string }>(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  return new Set(rows.map((row) => row.migration_name));
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(0, 3)
    .join(' ');
}
