import { afterEach, describe, expect, it } from '@jest/globals';
import type { ApiProcess } from '../support/api.js';
import { clientOf, signIn, type Client } from '../support/client.js';
import { Scenario } from '../support/scenario.js';

const STATEMENT_TIMEOUT_MS = 600;
/** Client-side a little more is allowed than on the server, and a loaded machine is slow. */
const GIVEN_UP_MS = 2 * STATEMENT_TIMEOUT_MS + 1_000;
const RECOVERY_MS = 3_000;
const SETTINGS = { MUSTER_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS) };

const scenario = new Scenario();
afterEach(() => scenario.end());

describe('when connections to the database go silent', () => {
  it('that are there, each costs one statement its time-out, and those after it are served', async () => {
    const { api, proxy, client, other } = await start();
    await warmUp(client);
    proxy.swallowPresent();

    // Reads and transactions alike: neither the one that waited nor the connection is worth a second wait.
    const askedAt = performance.now();
    const answers = await Promise.all([
      client('GET', '/api/users'),
      client('POST', '/api/api-keys', { name: 'into-the-void', role: 'viewer' }),
    ]);
    expect(performance.now() - askedAt).toBeLessThan(GIVEN_UP_MS);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'DATABASE_UNAVAILABLE' } });
    }
    const after = await Promise.all(Array.from({ length: 20 }, () => client('GET', '/api/users')));
    expect(after.map(({ status }) => status)).toEqual(Array(20).fill(200));

    // The listener, whose silence is normal, is found out by its heartbeat, and made again.
    await api.saw(/Signals do not arrive; connecting again/);
    await expectListening(api, other);
  });

  it('and new ones too, it says so at once, and serves again when they work', async () => {
    const { api, proxy, client, other } = await start();
    await warmUp(client);
    proxy.swallow();
    const first = await Promise.all([client('GET', '/api/users'), client('GET', '/readyz')]);
    expect(first.map(({ status }) => status)).toEqual([503, 503]);
    await api.saw(/"msg":"the database is away"/);
    const askedAt = performance.now();
    expect((await client('GET', '/api/users')).status).toBe(503);
    expect(performance.now() - askedAt).toBeLessThan(STATEMENT_TIMEOUT_MS);

    proxy.forward();
    const forwardedAt = performance.now();
    await api.saw(/"msg":"the database is back"/);
    const answers = await Promise.all(Array.from({ length: 20 }, () => client('GET', '/api/users')));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(performance.now() - forwardedAt).toBeLessThan(RECOVERY_MS);
    await expectListening(api, other);
  });

  it('it is found out before a statement of the usual patience is given up', async () => {
    const database = await scenario.database();
    const proxy = await scenario.proxy(database.url);
    const api = await scenario.api(proxy.url);
    proxy.swallow();
    const silentSince = performance.now();
    await api.saw(/"msg":"the database is away"/);
    expect(performance.now() - silentSince).toBeLessThan(8_000);
  });
});

async function start() {
  const database = await scenario.database();
  const proxy = await scenario.proxy(database.url);
  const api = await scenario.api(proxy.url, SETTINGS);
  const other = await scenario.api(database.url);
  const { client } = await signIn(api.url);
  return { api, other, proxy, client };
}

/** Several connections lie ready when they go silent. */
async function warmUp(client: Client): Promise<void> {
  await Promise.all(Array.from({ length: 20 }, () => client('GET', '/api/users')));
}

/** What happens to a session on another process is known here at once, although it was remembered. */
async function expectListening(api: ApiProcess, other: ApiProcess): Promise<void> {
  const { token } = await signIn(other.url);
  const here = clientOf(api.url, token);
  expect((await here('GET', '/api/auth/me')).status).toBe(200);
  await clientOf(other.url, token)('POST', '/api/auth/logout');
  let status = 200;
  for (const end = performance.now() + 1_000; status === 200 && performance.now() < end;) {
    ({ status } = await here('GET', '/api/auth/me'));
  }
  expect(status).toBe(401);
}
