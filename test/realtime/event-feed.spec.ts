import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { EventFeed } from '../../apps/api/src/realtime/event-feed.js';
import { EVENTS_COMMITTED } from '../../apps/api/src/realtime/topics.js';
import { startApi, type ApiProcess } from '../support/api.js';
import { signIn, type Client } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startInProcess, type InProcessApi } from './in-process.js';
import { closeSockets, connect } from './sockets.js';
import { subscribe, type Subscription } from './subscription.js';

let database: TestDatabase;
let here: ApiProcess;
let there: ApiProcess;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  here = await startApi(database.url);
  there = await startApi(database.url);
  ({ token } = await signIn(here.url));
});
afterEach(closeSockets);
afterAll(async () => {
  await here?.stop();
  await there?.stop();
  await database?.drop();
});

/** Written as psql would: nobody is told. */
async function insertEvents(count: number, description: string): Promise<number> {
  const rows = await database.query<{ seq: string }>(
    `INSERT INTO system_events (event_type, description, actor)
     SELECT 'admin_action', $2, 'test' FROM generate_series(1, $1) RETURNING seq`,
    [count, description],
  );
  return Number(rows.at(-1)!.seq);
}

async function seqsAfter(seq: number): Promise<number[]> {
  const rows = await database.query<{ seq: string }>(
    'SELECT seq FROM system_events WHERE seq > $1 ORDER BY seq',
    [seq],
  );
  return rows.map((row) => Number(row.seq));
}

const seqsOf = ({ events }: Subscription) => events.map(({ seq }) => seq);
const marker = (description: string) => (event: { description: string }) =>
  event.description.includes(description);

async function makeKey(admin: Client, name: string): Promise<void> {
  expect((await admin('POST', '/api/api-keys', { name, role: 'viewer' })).status).toBe(201);
}

describe('a subscriber', () => {
  it('hears every event once and in order, whoever writes, wherever it is connected', async () => {
    const early = await Promise.all([subscribe(here.url, token), subscribe(there.url, token)]);
    const [{ client: adminHere }, { client: adminThere }] = [await signIn(here.url), await signIn(there.url)];
    const rounds = (write: (round: number) => Promise<unknown>) => async () => {
      for (let round = 0; round < 25; round++) await write(round);
    };
    const late: Promise<Subscription>[] = [];
    await Promise.all([
      ...[1, 2, 3].map((writer) => rounds((round) => makeKey(adminHere, `here ${writer} ${round}`))()),
      ...[1, 2, 3].map((writer) => rounds((round) => makeKey(adminThere, `there ${writer} ${round}`))()),
      rounds(() => insertEvents(7, 'many at once'))(),
      rounds(commitLate)(),
      rounds((round) => {
        if (round % 5 === 0) late.push(subscribe(round % 2 ? here.url : there.url, token));
        return insertEvents(1, 'one by one');
      })(),
    ]);
    await makeKey(adminHere, 'the last one');

    const subscriptions = [...early, ...(await Promise.all(late))];
    for (const subscription of subscriptions) {
      await subscription.first(marker('the last one'));
      expect(seqsOf(subscription)).toEqual(await seqsAfter(subscription.seq));
    }
    expect(early[0]!.events.length).toBeGreaterThan(375);
  });

  it('hears what was written while its process did not listen', async () => {
    const subscriptions = await Promise.all([subscribe(here.url, token), subscribe(there.url, token)]);
    expect(await breakSignals()).toBe(2);
    const last = await insertEvents(250, 'in the gap');
    for (const subscription of subscriptions) {
      await subscription.first(({ seq }) => seq === last);
      expect(seqsOf(subscription)).toEqual(await seqsAfter(subscription.seq));
    }
  });

  it('hears what nobody has signalled', async () => {
    const subscription = await subscribe(here.url, token);
    const last = await insertEvents(1, 'by hand');
    await subscription.first(({ seq }) => seq === last);
  });

  it('that subscribes twice hears everything once', async () => {
    const subscription = await subscribe(here.url, token);
    expect(await subscription.socket.emitWithAck('ui:subscribe')).toMatchObject({ ok: true });
    const { client } = await signIn(here.url);
    await makeKey(client, 'heard once');
    await makeKey(client, 'heard after it');
    await subscription.first(marker('heard after it'));
    expect(subscription.events.filter(marker('heard once'))).toHaveLength(1);
  });

  it('hears what the list of events says', async () => {
    const { client } = await signIn(here.url);
    const subscription = await subscribe(here.url, token);
    await makeKey(client, 'the same');
    const event = await subscription.first(marker('the same'));
    const { body } = await client('GET', `/api/events?afterSeq=${event.seq - 1}&limit=1`);
    expect(event).toEqual(body.items[0]);
  });
});

it('who has not subscribed hears nothing', async () => {
  const silent = await connect(here.url, token);
  const heard: unknown[] = [];
  silent.onAny((...message) => heard.push(message));
  const subscription = await subscribe(here.url, token);
  const { client } = await signIn(here.url);
  await makeKey(client, 'not for everybody');
  await subscription.first(marker('not for everybody'));
  await silent.emitWithAck('nonsense');
  expect(heard).toEqual([]);
});

describe('within the process', () => {
  let api: InProcessApi;
  beforeEach(async () => {
    api = await startInProcess(database.url);
    // What is heard, is heard without its help.
    api.app.get(EventFeed).onModuleDestroy();
  });
  afterEach(() => api.stop());

  const event = { eventType: 'admin_action', actor: 'test', description: 'unheard' } as const;

  /** Resolves at the next signal. */
  function signalled(): Promise<void> {
    return new Promise((resolve) => {
      const end: () => void = api.runtime.bus.subscribe(EVENTS_COMMITTED, () => {
        end();
        resolve();
      });
    });
  }

  /** Calls `before` with each reading of events, and `after` when it is done. */
  function intercept(before: () => void, after: () => Promise<void>): void {
    const handle = api.runtime.database;
    const query = handle.query.bind(handle);
    handle.query = async (statement) => {
      const isReading = /FROM system_events/.test(statement.text);
      if (isReading) before();
      const rows = await query<never>(statement);
      if (isReading) await after();
      return rows;
    };
  }

  it('nothing is read while nobody subscribes', async () => {
    let reads = 0;
    intercept(
      () => reads++,
      async () => {},
    );
    let heard = signalled();
    await api.runtime.database.record(event);
    await heard;
    expect(reads).toBe(0);

    const { socket, first } = await subscribe(api.url, token);
    await api.runtime.database.record({ ...event, description: 'heard' });
    await first(marker('heard'));
    expect(reads).toBeGreaterThan(0);

    socket.disconnect();
    while (!/^muster_sockets_connected 0$/m.test(await metricsOf(api.url)));
    reads = 0;
    heard = signalled();
    await api.runtime.database.record(event);
    await heard;
    expect(reads).toBe(0);
  });

  it('what is committed while the first one subscribes is heard', async () => {
    let isFirst = true;
    intercept(
      () => {},
      async () => {
        if (!isFirst) return;
        isFirst = false;
        const heard = signalled();
        await api.runtime.database.record({ ...event, description: 'in between' });
        await heard;
      },
    );
    await (await subscribe(api.url, token)).first(marker('in between'));
  });

  it('what was written while the process did not listen is heard as soon as it does', async () => {
    const { first } = await subscribe(api.url, token);
    const last = await insertEvents(3, 'in the gap');
    await breakSignals();
    await first(({ seq }) => seq === last);
  });

  it('what could not be read is read later', async () => {
    const { first } = await subscribe(api.url, token);
    let failures = 0;
    // A reading that has begun already would not fail.
    while (api.app.get(EventFeed)['isReading']) await nextTurn();
    intercept(
      () => {
        if (++failures <= 2) throw new Error('not now');
      },
      async () => {},
    );
    await api.runtime.database.record({ ...event, description: 'read at the third attempt' });
    await first(marker('read at the third attempt'));
    expect(failures).toBeGreaterThan(2);
  });
});

it('a subscriber that does not read is let go, and the others hear everything', async () => {
  // Long enough that it is not the missing pong that ends it.
  const api = await startApi(database.url, { MUSTER_WORKER_LEASE_MS: '600000' });
  try {
    const reader = await subscribe(api.url, token);
    const laggard = await subscribe(api.url, token);
    (laggard.socket.io.engine.transport as unknown as { ws: { pause(): void } }).ws.pause();
    const last = await insertEvents(20_000, 'x'.repeat(1_000));
    await reader.first(({ seq }) => seq === last);
    while (!/^muster_sockets_connected 1$/m.test(await metricsOf(api.url)));
    expect(seqsOf(reader)).toEqual(await seqsAfter(reader.seq));
  } finally {
    await api.stop();
  }
});

/** Breaks the connections over which processes listen; the answer is how many. */
async function breakSignals(): Promise<number> {
  const [broken] = await database.query<{ count: number }>(
    `SELECT count(pg_terminate_backend(pid))::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'muster-api signals'`,
  );
  return broken!.count;
}

async function metricsOf(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** Takes its number and commits only later, while others wait for theirs. */
async function commitLate(): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO system_events (event_type, description, actor) VALUES ('admin_action', 'late', 'test')`,
    );
    await client.query('SELECT pg_sleep(0.005)');
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}
