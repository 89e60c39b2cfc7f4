import path from 'node:path';
import pg from 'pg';
import { describeAddress } from '../connection.js';
import { projectRoot } from '../project-root.js';
import { installQueue } from '../queue/install.js';
import { withSchemaEngine, readMigrations } from './schema-engine.js';

/** The database cannot be brought to this version's schema; the message says why in a sentence. */
export class MigrationFailed extends Error {}

const OLDEST_SERVER = 15;
const MIGRATION_LOCK = `hashtextextended('muster.migrations', 0)`;

/**
 * Brings the schema up to date as the owner of DATABASE_URL. Any number of processes may start at once: the
 * first one migrates under a lock, the others wait for it and find nothing left to do.
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'muster-migrate' });
  await client.connect();
  try {
    await requireServerVersion(client, url);
    await client.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    const applied = await applyMissing(client, url);
    await installQueue(url);
    return applied;
  } finally {
    // Ending the connection gives the lock back, whatever happened.
    await client.end().catch(() => {});
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
  try {
    const { appliedMigrationNames } = await withSchemaEngine(url, schemaDirectory, (engine) =>
      engine.applyMigrations({ migrationsList, filters: { externalTables: [], externalEnums: [] } }),
    );
    return appliedMigrationNames;
  } catch (error) {
    throw new MigrationFailed(`The database could not be migrated: ${firstLine(error)}`, { cause: error });
  }
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
