import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  /** As the owner, for arranging and for looking; the product itself works in its own role. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Runs a statement in a transaction that stays open, with the locks that it took, until released. */
  hold(text: string): Promise<{ release(): Promise<void> }>;
  drop(): Promise<void>;
}

/** A database of its own for a test file, cloned from the migrated template in a few milliseconds. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE muster_template`);
  const url = addressOf(name);
  const pool = new pg.Pool({ connectionString: url, max: 4, application_name: 'test' });
  pool.on('error', () => {});
  return {
    url,
    query: async (text, values) => (await pool.query(text, values)).rows,
    hold: async (text) => {
      const client = await pool.connect();
      await client.query('BEGIN');
      await client.query(text);
      return {
        release: async () => {
          await client.query('ROLLBACK');
          client.release();
        },
      };
    },
    drop: async () => {
      await pool.end();
      await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** An empty database, without our schema. */
export async function createEmptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE template0`);
  return { url: addressOf(name), drop: () => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: addressOf('postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function addressOf(database: string): string {
  const server = process.env.MUSTER_TEST_SERVER_URL;
  if (!server) throw new Error('The test server is not running: start the tests with `npm test`');
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.toString();
}
