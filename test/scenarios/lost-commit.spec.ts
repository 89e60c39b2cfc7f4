import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn, type Client } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { DatabaseProxy } from '../support/database-proxy.js';
import { Scenario } from '../support/scenario.js';
import { effectsOf, requestUser } from '../support/users.js';

const POOL = 'muster-api';

describe('when the connection is lost inside a COMMIT', () => {
  const scenario = new Scenario();
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let client: Client;

  beforeAll(async () => {
    database = await scenario.database();
    proxy = await scenario.proxy(database.url);
    const api = await scenario.api(proxy.url);
    ({ client } = await signIn(api.url));
  });
  afterAll(() => scenario.end());

  it('on the way there, the caller is told to repeat, and the repetition takes effect once', async () => {
    const held = proxy.hold('COMMIT', 'before', POOL);
    const answer = requestUser(client, 'cut-before', 'key-before');
    (await held).cut();
    expectUnavailable(await answer);

    const repeated = await requestUser(client, 'cut-before', 'key-before');
    expect(repeated).toMatchObject({ status: 201, body: { username: 'cut-before' } });
    expect(repeated!.headers.get('idempotency-replayed')).toBeNull();
    expect(await effectsOf(database, 'cut-before')).toEqual({ users: 1, events: 1 });
  });

  it('on the way back, the caller is told to repeat, and the repetition finds what was done', async () => {
    const held = proxy.hold('COMMIT', 'after', POOL);
    const answer = requestUser(client, 'cut-after', 'key-after');
    (await held).cut();
    expectUnavailable(await answer);
    expect(await effectsOf(database, 'cut-after')).toEqual({ users: 1, events: 1 });

    const repeated = await requestUser(client, 'cut-after', 'key-after');
    expect(repeated).toMatchObject({ status: 201, body: { username: 'cut-after' } });
    expect(repeated!.headers.get('idempotency-replayed')).toBe('true');
    expect(await effectsOf(database, 'cut-after')).toEqual({ users: 1, events: 1 });
  });

  it('a caller without a key is never told that it worked', async () => {
    for (const where of ['before', 'after'] as const) {
      const held = proxy.hold('COMMIT', where, POOL);
      const answer = client('POST', '/api/api-keys', { name: `cut-${where}`, role: 'viewer' });
      (await held).cut();
      expectUnavailable(await answer);
    }
    expect(await database.query('SELECT name FROM api_keys')).toEqual([{ name: 'cut-after' }]);
  });
});

function expectUnavailable(answer: Awaited<ReturnType<Client>> | undefined): void {
  expect(answer).toMatchObject({ status: 503, body: { code: 'DATABASE_UNAVAILABLE' } });
  expect(answer!.headers.get('retry-after')).toBe('1');
}
