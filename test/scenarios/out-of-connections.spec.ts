import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { clientOf, signIn } from '../support/client.js';
import { Scenario } from '../support/scenario.js';

const RECOVERY_MS = 3_000;

const scenario = new Scenario();
afterEach(() => scenario.end());

describe('when PostgreSQL has no connection left', () => {
  it('the API says so, lives, and serves by itself when there are some again', async () => {
    const { server, proxy, api, client } = await start();
    // While it is cut off, all connections are taken, also those that it had.
    await proxy.refuse();
    const takers = await takeAllConnections(server.url);
    await proxy.accept();

    for (const [method, path, body] of [
      ['GET', '/api/users', undefined],
      ['POST', '/api/api-keys', { name: 'one-too-many', role: 'viewer' }],
      ['POST', '/api/auth/login', { username: 'somebody', password: 'a password for tests' }],
    ] as const) {
      const answer = await client(method, path, body);
      expect(answer).toMatchObject({ status: 503, body: { code: 'DATABASE_UNAVAILABLE' } });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    const probe = clientOf(api.url);
    expect((await probe('GET', '/healthz')).status).toBe(200);
    expect((await probe('GET', '/readyz')).status).toBe(503);

    await takers.leave();
    const freedAt = performance.now();
    let status = 503;
    while (status !== 201) {
      ({ status } = await client('POST', '/api/api-keys', { name: 'at-last', role: 'viewer' }));
      expect([201, 503]).toContain(status);
      expect(performance.now() - freedAt).toBeLessThan(RECOVERY_MS);
    }
    expect((await probe('GET', '/readyz')).status).toBe(200);
    expect(await server.query('SELECT name FROM api_keys')).toEqual([{ name: 'at-last' }]);
    expect(process.kill(api.pid, 0)).toBe(true);
  });

  it('the API goes on with those that it has', async () => {
    const { server, client } = await start();
    await takeAllConnections(server.url);
    // More at once than it has connections: some may be refused, but never all.
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => client('GET', '/api/users')));
      expect(answers.map(({ status }) => status)).toContain(200);
      expect((await client('GET', '/api/users')).status).toBe(200);
    }
  });
});

async function start() {
  const server = await scenario.server({
    settings: { max_connections: '20', superuser_reserved_connections: '0' },
  });
  const proxy = await scenario.proxy(server.url);
  const api = await scenario.api(proxy.url);
  const { client } = await signIn(api.url);
  return { server, proxy, api, client };
}

/** Connects until nobody can any more. */
async function takeAllConnections(url: string): Promise<{ leave(): Promise<void> }> {
  const taken: pg.Client[] = [];
  const leave = async () => void (await Promise.all(taken.splice(0).map((client) => client.end())));
  scenario.atEnd(leave);
  for (let refusals = 0; refusals < 3;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      taken.push(client);
    } catch (error) {
      if ((error as { code?: string }).code !== '53300') throw error;
      refusals++;
    }
  }
  return { leave };
}
