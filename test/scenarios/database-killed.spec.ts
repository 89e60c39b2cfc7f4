import { afterEach, describe, expect, it } from '@jest/globals';
import { clientOf, signIn } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { Scenario, type OwnServer } from '../support/scenario.js';
import { accepted, streamWrites, tally, type Write, type WriteStream } from '../support/write-stream.js';

const RECOVERY_MS = 3_000;

const scenario = new Scenario();
afterEach(() => scenario.end());

describe('when PostgreSQL is killed while requests run', () => {
  it('the API stays, says so, recovers by itself, and nothing that was accepted is missing', async () => {
    const { server, api, stream } = await startStream();
    const { client } = await signIn(api.url);

    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    const refused = await stream.next(isRefused);
    expectUnavailable(refused);
    expect(await probes(api.url)).toEqual({ live: 200, ready: 503 });

    await server.restart();
    const backAt = performance.now();
    const first = await stream.next(isAccepted);
    expect(first.answeredAt - backAt).toBeLessThan(RECOVERY_MS);
    expect(await probes(api.url)).toEqual({ live: 200, ready: 200 });
    await stream.stop();

    expectOnlyAcceptedOrRefused(stream);
    expect(await missing(server, stream.writes)).toEqual([]);
    expect(isAlive(api.pid)).toBe(true);
    // Its session outlived the absence, and so did the bus: what was remembered of it is not older than that.
    expect((await client('GET', '/api/auth/me')).status).toBe(200);
    const events = await eventually(
      () => degradations(server),
      (found) => found.length > 0,
    );
    expect(events[0]!.away_ms).toBeGreaterThan(0);
  });

  it('a single backend of it is enough: it restarts itself, and the API goes on', async () => {
    const { server, api, stream } = await startStream();
    for (let round = 1; round <= 3; round++) {
      const backend = await busyBackend(server);
      const refused = stream.next(isRefused);
      process.kill(backend, 'SIGKILL');
      await refused;
      await stream.next(isAccepted);
    }
    await stream.stop();
    expectOnlyAcceptedOrRefused(stream);
    expect(await missing(server, stream.writes)).toEqual([]);
    expect(isAlive(api.pid)).toBe(true);
  });
});

async function startStream() {
  const server = await scenario.server();
  const api = await scenario.api(server.url);
  const { client } = await signIn(api.url);
  const stream = streamWrites(client);
  scenario.atEnd(() => stream.stop());
  for (let accepts = 0; accepts < 50; accepts++) await stream.next(isAccepted);
  return { server, api, stream };
}

const isAccepted = ({ answer }: Write) => answer?.status === 201;
const isRefused = ({ answer }: Write) => answer?.status === 503;

function expectUnavailable({ answer }: Write): void {
  expect(answer!.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(answer!.headers.get('retry-after')).toBe('1');
  expect(answer!.body).toMatchObject({ status: 503, code: 'DATABASE_UNAVAILABLE' });
}

function expectOnlyAcceptedOrRefused({ writes, readStatuses }: WriteStream): void {
  expect(Object.keys(tally(writes)).sort()).toEqual(['201', '503']);
  writes.filter(isRefused).forEach(expectUnavailable);
  expect([...readStatuses].sort()).toEqual([200, 503]);
}

async function probes(url: string) {
  const client = clientOf(url);
  return {
    live: (await client('GET', '/healthz')).status,
    ready: (await client('GET', '/readyz')).status,
  };
}

async function missing(server: OwnServer, writes: readonly Write[]): Promise<string[]> {
  const rows = await server.query<{ name: string }>('SELECT name FROM api_keys');
  const there = new Set(rows.map(({ name }) => name));
  return accepted(writes).filter((name) => !there.has(name));
}

function degradations(server: OwnServer) {
  return server.query<{ away_ms: number }>(
    `SELECT (event_data->>'awayMs')::int AS away_ms FROM system_events WHERE event_type = 'database_degraded'`,
  );
}

/** One of the API's, as soon as the server lets anybody look again. */
async function busyBackend(server: OwnServer): Promise<number> {
  const look = () =>
    server
      .query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'muster-api' AND state <> 'idle' LIMIT 1`,
      )
      .catch(() => []);
  const [backend] = await eventually(look, (found) => found.length > 0);
  return backend!.pid;
}

function isAlive(pid: number): boolean {
  return process.kill(pid, 0);
}
