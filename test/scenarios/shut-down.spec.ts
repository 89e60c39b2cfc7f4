import { afterEach, describe, expect, it } from '@jest/globals';
import type { ApiProcess } from '../support/api.js';
import { clientOf, signIn } from '../support/client.js';
import type { DatabaseProxy } from '../support/database-proxy.js';
import { Scenario } from '../support/scenario.js';
import { requestUser } from '../support/users.js';
import { accepted, streamWrites, tally } from '../support/write-stream.js';

const LIMIT_MS = 10_000;
const STEPS = [
  'say that we are leaving',
  'give up leadership',
  'take no more queued work',
  'answer and close sockets',
  'finish requests',
  'send the last signals',
  'close the database',
];

const scenario = new Scenario();
afterEach(() => scenario.end());

describe('when the API is told to end under load', () => {
  it('it answers what it accepted, passes its duty on at once, closes the database last and exits with 0', async () => {
    const database = await scenario.database();
    const proxy = await scenario.proxy(database.url);
    const leaving = await scenario.api(proxy.url, { MUSTER_LOG_LEVEL: 'debug' });
    await leaving.saw(/Leadership acquired/);
    const staying = await scenario.api(database.url);
    const { client } = await signIn(leaving.url);
    const stream = streamWrites(client);
    scenario.atEnd(() => stream.stop());
    for (let accepts = 0; accepts < 50; accepts++) await stream.next(({ answer }) => answer?.status === 201);

    // A request is inside its transaction when the signal comes, and stays there until somebody else leads.
    const held = proxy.hold('COMMIT', 'before', 'muster-api');
    const caught = requestUser(client, 'caught-in-the-act', 'caught');
    const underWay = await held;
    const toldAt = performance.now();
    leaving.signal('SIGTERM');
    await leaving.saw(/"msg":"shutting down"/);
    await staying.saw(/Leadership acquired/);
    expect(performance.now() - toldAt).toBeLessThan(2_000);
    underWay.release();

    expect(await caught).toMatchObject({ status: 201, body: { username: 'caught-in-the-act' } });
    expect(await leaving.exited).toBe(0);
    expect(performance.now() - toldAt).toBeLessThan(LIMIT_MS);
    await stream.stop();

    // Whoever comes too late finds nobody there. Nobody is refused by somebody who is there.
    expect(Object.keys(tally(stream.writes)).filter((status) => !['201', 'none'].includes(status))).toEqual(
      [],
    );
    expect([...stream.readStatuses].filter((status) => ![0, 200].includes(status))).toEqual([]);
    // And what was not answered was not done either.
    const rows = await database.query<{ name: string }>('SELECT name FROM api_keys');
    expect(rows.map(({ name }) => name).sort()).toEqual(accepted(stream.writes).sort());
    expect(stepsOf(leaving)).toEqual(STEPS);
    expect(complaintsOf(leaving)).toEqual([]);
    expect((await clientOf(staying.url)('GET', '/readyz')).status).toBe(200);
  });

  it('it says on /readyz that it leaves while it still answers', async () => {
    const database = await scenario.database();
    const proxy = await scenario.proxy(database.url);
    const api = await scenario.api(proxy.url);
    const { client } = await signIn(api.url);
    const held = proxy.hold('release_leadership', 'before', 'muster-api');
    await api.saw(/Leadership acquired/);
    api.signal('SIGTERM');
    await held;

    const ready = await client('GET', '/readyz');
    expect(ready).toMatchObject({ status: 503, body: { detail: expect.stringContaining('leaving') } });
    const me = await client('GET', '/api/auth/me');
    expect(me.status).toBe(200);
    // Whoever keeps its connection is told not to.
    expect(me.headers.get('connection')).toBe('close');
    (await held).release();
    expect(await api.exited).toBe(0);
  });
});

describe('when the API is told to end while the database', () => {
  it.each([
    ['is away', (proxy: DatabaseProxy) => proxy.refuse()],
    ['does not answer', (proxy: DatabaseProxy) => proxy.swallow()],
  ])('%s, it ends all the same', async (_, breakOff) => {
    const database = await scenario.database();
    const proxy = await scenario.proxy(database.url);
    const api = await scenario.api(proxy.url);
    await api.saw(/Leadership acquired/);
    const { client } = await signIn(api.url);
    await Promise.all(Array.from({ length: 20 }, () => client('GET', '/api/users')));
    await breakOff(proxy);
    const toldAt = performance.now();
    api.signal('SIGTERM');
    expect(await api.exited).toBe(0);
    expect(performance.now() - toldAt).toBeLessThan(LIMIT_MS);
  });
});

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly step?: string;
}

function linesOf(api: ApiProcess): Line[] {
  return api
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
}

function stepsOf(api: ApiProcess): string[] {
  return linesOf(api).flatMap(({ msg, step }) => (msg === 'shut-down step done' ? step! : []));
}

function complaintsOf(api: ApiProcess): Line[] {
  return linesOf(api).filter(({ level }) => level !== 'info' && level !== 'debug');
}
