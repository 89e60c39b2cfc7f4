import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { signIn, type Client } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { Scenario } from '../support/scenario.js';
import { effectsOf, requestUser } from '../support/users.js';

/** The first attempt, and as many again. */
const ATTEMPTS = 4;

describe('a transaction that loses a conflict', () => {
  const scenario = new Scenario();
  let database: TestDatabase;
  let client: Client;
  let accountId: string;

  beforeAll(async () => {
    database = await scenario.database();
    const api = await scenario.api(database.url);
    ({ client } = await signIn(api.url));
    accountId = (await client('GET', '/api/auth/me')).body.user.id as string;
  });
  afterAll(() => scenario.end());

  it('as the victim of a deadlock is run again, and takes effect once', async () => {
    const opponent = new pg.Client({ connectionString: database.url });
    await opponent.connect();
    scenario.atEnd(() => opponent.end());
    // It never looks for deadlocks itself, so the API's transaction is the one that finds out, and loses.
    await opponent.query(`SET deadlock_timeout = '10min'`);
    await opponent.query('BEGIN');
    await opponent.query(`INSERT INTO users (username, role) VALUES ('contended', 'guest')`);
    const answer = requestUser(client, 'contended', 'contended-key');
    await untilApiWaits();
    // The API's transaction holds its key and waits for the name; now we hold the name and wait for its key.
    await opponent.query(
      `INSERT INTO idempotency_keys (account_id, key, request_hash, status_code, expires_at)
       VALUES ($1, 'contended-key', '', 0, now())`,
      [accountId],
    );
    // That went through only because the other gave way.
    await opponent.query('ROLLBACK');

    expect(await answer).toMatchObject({ status: 201, body: { username: 'contended' } });
    expect(await effectsOf(database, 'contended')).toEqual({ users: 1, events: 1 });
    expect(await deadlocks()).toBe(1);
  });

  it.each([
    ['a serialisation failure', '40001'],
    ['a deadlock', '40P01'],
  ])('by %s is run again a few times', async (_, code) => {
    await failUsers(code, ATTEMPTS - 1);
    const username = `late-${code}`;
    expect(await requestUser(client, username, username)).toMatchObject({ status: 201 });
    expect(await attempts()).toBe(ATTEMPTS);
    expect(await effectsOf(database, username)).toEqual({ users: 1, events: 1 });
  });

  it('again and again is given up, and the caller told to repeat', async () => {
    await failUsers('40001', 1_000);
    const refused = await requestUser(client, 'hopeless', 'hopeless');
    expect(refused).toMatchObject({ status: 503, body: { code: 'DATABASE_BUSY' } });
    expect(refused!.headers.get('retry-after')).toBe('1');
    expect(await attempts()).toBe(ATTEMPTS);
    expect(await effectsOf(database, 'hopeless')).toEqual({ users: 0, events: 0 });

    await failUsers('40001', 0);
    expect(await requestUser(client, 'hopeless', 'hopeless')).toMatchObject({ status: 201 });
    expect(await effectsOf(database, 'hopeless')).toEqual({ users: 1, events: 1 });
  });

  async function untilApiWaits(): Promise<void> {
    await eventually(
      () =>
        database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database()
             AND application_name = 'muster-api' AND wait_event_type = 'Lock'`,
        ),
      (waiting) => waiting.length > 0,
    );
  }

  async function deadlocks(): Promise<number> {
    const look = async () => {
      const [found] = await database.query<{ deadlocks: number }>(
        'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
      );
      return found!.deadlocks;
    };
    return eventually(look, (count) => count > 0);
  }

  /** Makes the next inserts of users fail, so many of them. A sequence counts on whatever is rolled back. */
  async function failUsers(code: string, times: number): Promise<void> {
    await database.query(`
      DROP SEQUENCE IF EXISTS attempts CASCADE;
      CREATE SEQUENCE attempts;
      GRANT USAGE ON SEQUENCE attempts TO muster_app;
      CREATE OR REPLACE FUNCTION fail_at_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('attempts') <= ${times} THEN RAISE EXCEPTION 'made to fail' USING ERRCODE = '${code}'; END IF;
        RETURN NEW;
      END $$;
      CREATE OR REPLACE TRIGGER fail_at_first BEFORE INSERT ON users
        FOR EACH ROW EXECUTE FUNCTION fail_at_first();`);
  }

  async function attempts(): Promise<number> {
    const [found] = await database.query<{ attempts: number }>(
      'SELECT last_value::int AS attempts FROM attempts',
    );
    return found!.attempts;
  }
});
