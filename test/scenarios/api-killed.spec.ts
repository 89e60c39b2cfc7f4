import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiProcess } from '../support/api.js';
import { clientOf, signIn, type Client } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { DatabaseProxy } from '../support/database-proxy.js';
import { eventually } from '../support/eventually.js';
import { Scenario } from '../support/scenario.js';
import { effectsOf, requestUser } from '../support/users.js';

const POOL = 'muster-api';

describe('when the API is killed inside a request', () => {
  const stage = new Scenario();
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let survivor: ApiProcess;
  let client: Client;

  beforeAll(async () => {
    database = await stage.database();
    proxy = await stage.proxy(database.url);
    survivor = await stage.api(database.url);
    ({ client } = await signIn(survivor.url));
  });
  afterAll(() => stage.end());

  const scenario = new Scenario();
  afterEach(() => scenario.end());

  /** A process that serves the same callers, on the way that can be held up. */
  async function startVictim() {
    const victim = await scenario.api(proxy.url);
    const { token } = await signIn(victim.url);
    return { victim, throughVictim: clientOf(victim.url, token) };
  }

  it('before the commit, nothing has happened, and the repetition takes effect once', async () => {
    const { victim, throughVictim } = await startVictim();
    const held = proxy.hold('COMMIT', 'before', POOL);
    const lost = requestUser(throughVictim, 'before-commit', 'key-before');
    await held;
    victim.signal('SIGKILL');
    expect(await lost).toBeUndefined();
    await eventually(
      () => openTransactions(database),
      (open) => open === 0,
    );
    expect(await effectsOf(database, 'before-commit')).toEqual({ users: 0, events: 0 });

    const repeated = await requestUser(client, 'before-commit', 'key-before');
    expect(repeated).toMatchObject({ status: 201, body: { username: 'before-commit' } });
    expect(repeated!.headers.get('idempotency-replayed')).toBeNull();
    expect(await effectsOf(database, 'before-commit')).toEqual({ users: 1, events: 1 });
  });

  it('after the commit, the repetition is told what happened and does nothing again', async () => {
    const { victim, throughVictim } = await startVictim();
    const held = proxy.hold('COMMIT', 'after', POOL);
    const lost = requestUser(throughVictim, 'after-commit', 'key-after');
    await held;
    expect(await effectsOf(database, 'after-commit')).toEqual({ users: 1, events: 1 });
    victim.signal('SIGKILL');
    expect(await lost).toBeUndefined();

    const repeated = await requestUser(client, 'after-commit', 'key-after');
    expect(repeated).toMatchObject({ status: 201, body: { username: 'after-commit' } });
    expect(repeated!.headers.get('idempotency-replayed')).toBe('true');
    const again = await requestUser(client, 'after-commit', 'key-after');
    expect(again!.body).toEqual(repeated!.body);
    expect(await effectsOf(database, 'after-commit')).toEqual({ users: 1, events: 1 });
  });

  it.each([
    ['before its commit, the repetition that waits for it takes effect', 'before'],
    ['after its commit, the repetition that came meanwhile is told what happened', 'after'],
  ] as const)('%s', async (_, where) => {
    const { victim, throughVictim } = await startVictim();
    const username = `overlapping-${where}`;
    const held = proxy.hold('COMMIT', where, POOL);
    const lost = requestUser(throughVictim, username, username);
    await held;
    const repeated = requestUser(client, username, username);
    if (where === 'before') await untilSomebodyWaitsForAKey(database);
    victim.signal('SIGKILL');
    expect(await lost).toBeUndefined();

    const answer = await repeated;
    expect(answer).toMatchObject({ status: 201, body: { username } });
    expect(answer!.headers.get('idempotency-replayed')).toBe(where === 'before' ? null : 'true');
    expect(await effectsOf(database, username)).toEqual({ users: 1, events: 1 });
  });
});

async function openTransactions(database: TestDatabase): Promise<number> {
  const [found] = await database.query<{ open: number }>(
    `SELECT count(*)::int AS open FROM pg_stat_activity
     WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
  );
  return found!.open;
}

async function untilSomebodyWaitsForAKey(database: TestDatabase): Promise<void> {
  await eventually(
    () =>
      database.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%idempotency_keys%'`,
      ),
    (waiting) => waiting.length > 0,
  );
}
