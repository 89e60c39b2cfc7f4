import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { Database } from '../database.js';
import { cleanExpired } from './clean-expired.js';

/** What another process does although a transaction is open here: outside of its context. */
const outside: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = new Database({ url: testDatabase.url, name: 'clean-expired-spec' });
});
beforeEach(() => testDatabase.query('TRUNCATE idempotency_keys, sessions, sign_in_throttles, users CASCADE'));
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

async function addKeys(count: number, expiresIn: string): Promise<void> {
  await testDatabase.query(
    `INSERT INTO idempotency_keys (account_id, key, request_hash, status_code, expires_at)
     SELECT $1, 'key-' || n, '', 200, now() + $2::interval FROM generate_series(1, $3) AS n`,
    [randomUUID(), expiresIn, count],
  );
}

const count = async (table: string) =>
  (await testDatabase.query<{ count: number }>(`SELECT count(*)::int FROM ${table}`))[0]!.count;

describe('cleanExpired', () => {
  it('removes what has expired and nothing else, however much it is', async () => {
    await addKeys(2_500, '-1 second');
    await addKeys(3, '1 hour');
    await cleanExpired(database);
    expect(await count('idempotency_keys')).toBe(3);
    await cleanExpired(database);
    expect(await count('idempotency_keys')).toBe(3);
  });

  it('keeps sign-ins for a week after they ended or expired', async () => {
    const [user] = await testDatabase.query<{ user_id: string }>(
      `INSERT INTO users (username, role) VALUES ('someone', 'guest') RETURNING user_id`,
    );
    await testDatabase.query(
      `INSERT INTO sessions (user_id, expires_at, ended_at)
       SELECT $1, now() + expires::interval, now() + ended::interval
       FROM (VALUES ('-8 days', NULL), ('1 day', '-8 days'), ('-6 days', NULL), ('1 day', '-6 days'), ('1 day', NULL))
         AS session(expires, ended)`,
      [user!.user_id],
    );
    await cleanExpired(database);
    const left = await testDatabase.query(
      `SELECT round(extract(epoch FROM expires_at - now()) / 86400)::int AS expires,
              round(extract(epoch FROM ended_at - now()) / 86400)::int AS ended
       FROM sessions ORDER BY expires, ended`,
    );
    expect(left).toEqual([
      { expires: -6, ended: null },
      { expires: 1, ended: -6 },
      { expires: 1, ended: null },
    ]);
  });

  it('removes windows of failed sign-ins that are over', async () => {
    await testDatabase.query(
      `INSERT INTO sign_in_throttles (bucket, failures, window_ends_at)
       VALUES ('over', 3, now() - interval '1 second'), ('open', 3, now() + interval '1 minute')`,
    );
    await cleanExpired(database);
    expect(await testDatabase.query('SELECT bucket FROM sign_in_throttles')).toEqual([{ bucket: 'open' }]);
  });

  it('does not wait for a row that somebody else holds', async () => {
    await addKeys(5, '-1 second');
    await database.transaction(async (tx) => {
      await tx.query({ text: `SELECT key FROM idempotency_keys WHERE key = 'key-3' FOR UPDATE` });
      await outside(() => cleanExpired(database));
    });
    expect(await testDatabase.query('SELECT key FROM idempotency_keys')).toEqual([{ key: 'key-3' }]);
  });

  it('breaks off between two batches when it is told to', async () => {
    await addKeys(2_500, '-1 second');
    const told = new AbortController();
    const counting = {
      query: <Row>(statement: Parameters<Database['query']>[0]) => {
        told.abort();
        return database.query<Row>(statement);
      },
    };
    await cleanExpired(counting, told.signal);
    expect(await count('idempotency_keys')).toBe(1_500);
  });
});
