import { afterEach, describe, expect, it } from '@jest/globals';
import { clientOf, signIn } from '../support/client.js';
import { expectMigratedOnce } from '../support/migrated-once.js';
import { Scenario } from '../support/scenario.js';

const QUICKLY_MS = 3_000;

const scenario = new Scenario();
afterEach(() => scenario.end());

describe('when the database is away at start-up', () => {
  it('the API waits and says so, and serves when the database comes', async () => {
    const database = await scenario.database();
    const proxy = await scenario.proxy(database.url);
    await proxy.refuse();
    const api = await scenario.api(proxy.url, {}, { waitUntilReady: false });
    await api.saw(/"msg":"waiting for the database"/);
    await expectWaiting(api.url);

    await proxy.accept();
    await api.saw(/"msg":"ready"/);
    expect((await clientOf(api.url)('GET', '/readyz')).status).toBe(200);
    await signIn(api.url);
  });

  it('the API does not wait for ever for an answer that was lost', async () => {
    const database = await scenario.database();
    const proxy = await scenario.proxy(database.url);
    proxy.swallow();
    const api = await scenario.api(proxy.url, {}, { waitUntilReady: false });
    await proxy.swallowed();
    await expectWaiting(api.url);
    proxy.forward();
    await api.saw(/"msg":"ready"/);
  });

  it('the API ends at once when it is told to while it waits', async () => {
    const database = await scenario.database();
    const proxy = await scenario.proxy(database.url);
    await proxy.refuse();
    const api = await scenario.api(proxy.url, {}, { waitUntilReady: false });
    await api.saw(/"msg":"waiting for the database"/);
    const toldAt = performance.now();
    api.signal('SIGTERM');
    expect(await api.exited).toBe(0);
    expect(performance.now() - toldAt).toBeLessThan(QUICKLY_MS);
  });
});

describe('when processes start on one database', () => {
  it('at once on an empty one, one migrates and all become ready', async () => {
    const database = await scenario.emptyDatabase();
    const apis = await Promise.all([1, 2, 3].map(() => scenario.api(database.url)));
    await Promise.all(apis.map(({ url }) => signIn(url)));
    await expectMigratedOnce(database);
    const applied = apis.filter(({ output }) => /"applied":\["/.test(output()));
    expect(applied).toHaveLength(1);
    expect(await database.query('SELECT username FROM users')).toEqual([{ username: 'admin' }]);
  });

  it('one of this version serves although a newer one has migrated further', async () => {
    const database = await scenario.database();
    await database.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES (gen_random_uuid(), 'of a later version', '29991231000000_of_a_later_version', now(), now(), 1)`,
    );
    await database.query('ALTER TABLE users ADD COLUMN of_a_later_version text');
    await database.query('UPDATE pgboss.version SET version = version + 1');
    const api = await scenario.api(database.url);
    const { client } = await signIn(api.url);
    expect((await client('GET', '/api/users')).status).toBe(200);
    const created = { username: 'somebody', password: 'a password for tests', role: 'viewer' };
    expect((await client('POST', '/api/users', created)).status).toBe(201);
  });
});

async function expectWaiting(url: string): Promise<void> {
  const client = clientOf(url);
  expect((await client('GET', '/healthz')).status).toBe(200);
  for (const path of ['/readyz', '/api/users', '/api/auth/me']) {
    const answer = await client('GET', path);
    expect(answer).toMatchObject({ status: 503, body: { status: 503 } });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  }
}
