import { once, EventEmitter } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startDatabaseProxy } from '../../../test/support/database-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Database } from './database.js';
import { SignalBus, SignalTooLarge, type SignalBusOptions } from './signal-bus.js';

let testDatabase: TestDatabase;
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterEach(async () => {
  for (const part of running.splice(0).reverse()) await part.stop();
});
afterAll(() => testDatabase?.drop());

interface TestBus {
  readonly bus: SignalBus;
  readonly database: Database;
  readonly errors: string[];
  readonly warnings: EventEmitter;
  readonly milestones: EventEmitter;
}

function createBus(options: Partial<SignalBusOptions> & { url?: string } = {}): TestBus {
  const database = new Database({ url: options.url ?? testDatabase.url, name: 'signal-bus-spec' });
  const errors: string[] = [];
  const warnings = new EventEmitter();
  const log = {
    info: () => {},
    warn: () => void warnings.emit('warning'),
    error: (_details: object, message: string) => void errors.push(message),
  };
  const bus = new SignalBus({ database, log, ...options });
  const milestones = new EventEmitter();
  bus.onGap(() => void milestones.emit('gap'));
  bus.onStateChange((connected) => void milestones.emit(connected ? 'connected' : 'disconnected'));
  running.push({
    stop: async () => {
      await bus.stop();
      await database.close();
    },
  });
  return { bus, database, errors, warnings, milestones };
}

async function startBus(options?: Parameters<typeof createBus>[0]): Promise<TestBus> {
  const created = createBus(options);
  const connected = once(created.milestones, 'connected');
  created.bus.start();
  await connected;
  return created;
}

async function startProxy() {
  const proxy = await startDatabaseProxy(testDatabase.url);
  // Stopped last: the buses lead through it.
  running.unshift({ stop: proxy.close });
  return proxy;
}

/** The payloads that arrive on a topic, and a way to wait for a number of them. */
function listenTo(bus: SignalBus, topic: string) {
  const payloads: unknown[] = [];
  const arrivals = new EventEmitter();
  bus.subscribe(topic, (payload) => {
    payloads.push(payload);
    arrivals.emit('arrival');
  });
  return {
    payloads,
    atLeast: async (count: number) => {
      while (payloads.length < count) await once(arrivals, 'arrival');
      return payloads;
    },
  };
}

describe('signals', () => {
  it('reach every process, the sender included, by topic', async () => {
    const [one, two] = [await startBus(), await startBus()];
    const heardByOne = listenTo(one.bus, 'managers');
    const heardByTwo = listenTo(two.bus, 'managers');
    const other = listenTo(two.bus, 'tasks');
    await one.bus.publish('managers', { managerId: 'm-1' });
    await two.bus.publish('managers', 'ü "quoted" \u0000');
    expect(await heardByOne.atLeast(2)).toEqual([{ managerId: 'm-1' }, 'ü "quoted" \u0000']);
    expect(await heardByTwo.atLeast(2)).toEqual([{ managerId: 'm-1' }, 'ü "quoted" \u0000']);
    expect(other.payloads).toEqual([]);
  });

  it('of one moment travel as one statement', async () => {
    const batches: number[] = [];
    const { bus, database } = await startBus({ onBatch: (size) => void batches.push(size) });
    const statements: string[] = [];
    const query = database.query.bind(database);
    database.query = (statement) => {
      statements.push(statement.name ?? statement.text);
      return query(statement);
    };
    const heard = listenTo(bus, 'numbers');
    await Promise.all(Array.from({ length: 300 }, (_, number) => bus.publish('numbers', { number })));
    expect(await heard.atLeast(300)).toEqual(Array.from({ length: 300 }, (_, number) => ({ number })));
    expect(statements).toEqual(['publish_signals']);
    expect(batches).toEqual([300]);
  });

  it('arrive whole and in order whatever their size, and repeats of a moment may be merged', async () => {
    const { bus } = await startBus();
    const heard = listenTo(bus, 'sizes');
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.string({ maxLength: 30 }),
            fc.string({ unit: 'binary', minLength: 500, maxLength: 1_200 }),
          ),
          {
            minLength: 1,
            maxLength: 40,
          },
        ),
        async (payloads) => {
          heard.payloads.length = 0;
          await Promise.all(payloads.map((payload) => bus.publish('sizes', payload)));
          const distinct = [...new Set(payloads)];
          expect(await heard.atLeast(distinct.length)).toEqual(distinct);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('may have exactly the size that PostgreSQL takes, and not one byte more', async () => {
    const batches: number[] = [];
    const { bus } = await startBus({ onBatch: (size) => void batches.push(size) });
    const heard = listenTo(bus, 'large');
    const largest = 'x'.repeat(7_999 - '[["large",""]]'.length);
    await Promise.all([bus.publish('large', largest), bus.publish('large', 'small')]);
    expect(await heard.atLeast(2)).toEqual([largest, 'small']);
    expect(() => bus.publish('large', `${largest}x`)).toThrow(SignalTooLarge);

    // Two that just fit into one notification, and two that just do not.
    const room = 7_999 - '[["large",""],["large",""]]'.length;
    for (let excess = -1; excess <= 3; excess++) {
      heard.payloads.length = 0;
      const pair = ['a'.repeat(4_000), 'b'.repeat(room - 4_000 + excess)];
      await Promise.all(pair.map((payload) => bus.publish('large', payload)));
      expect(await heard.atLeast(2)).toEqual(pair);
    }
    expect(batches).toEqual(Array(6).fill(2));
  });

  it('reach the other handlers although one throws', async () => {
    const { bus, errors } = await startBus();
    bus.subscribe('news', () => {
      throw new Error('no');
    });
    bus.subscribe('news', async () => {
      throw new Error('not either');
    });
    const heard = listenTo(bus, 'news');
    await bus.publish('news', 1);
    await heard.atLeast(1);
    await bus.publish('news', 2);
    await heard.atLeast(2);
    expect(errors.slice(0, 2)).toEqual(['A handler of news failed', 'A handler of news failed']);
  });

  it('do not reach who unsubscribed, nor does a stranger’s notification reach anybody', async () => {
    const { bus, errors } = await startBus();
    const heard: unknown[] = [];
    const unsubscribe = bus.subscribe('news', (payload) => void heard.push(payload));
    const last = listenTo(bus, 'news');
    unsubscribe();
    await testDatabase.query(
      `SELECT pg_notify('muster', payload) FROM unnest(ARRAY['', 'no JSON', '{}', '[1]', '[[2]]', '[["news"]]']) AS payload`,
    );
    await bus.publish('news', 'real');
    expect(await last.atLeast(2)).toEqual([undefined, 'real']);
    expect(heard).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('that cannot be sent fail for who waits, and harm nobody else', async () => {
    const { bus, database } = createBus();
    database.query = () => Promise.reject(new Error('away'));
    const dropped: unknown[] = [];
    const listener = (reason: unknown) => void dropped.push(reason);
    process.on('unhandledRejection', listener);
    void bus.publish('news');
    await expect(bus.publish('news')).rejects.toThrow('away');
    await new Promise(setImmediate);
    process.off('unhandledRejection', listener);
    expect(dropped).toEqual([]);
  });
});

describe('the connection', () => {
  const terminateListeners = () =>
    testDatabase.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'signal-bus-spec signals'`,
    );

  it('is made again when it is lost, and says that there was a gap', async () => {
    const { bus, milestones } = await startBus();
    const heard = listenTo(bus, 'news');
    const states: string[] = [];
    for (const state of ['disconnected', 'gap', 'connected'])
      milestones.on(state, () => void states.push(state));
    for (let round = 1; round <= 3; round++) {
      const back = once(milestones, 'connected');
      const lostAt = performance.now();
      await terminateListeners();
      await back;
      expect(performance.now() - lostAt).toBeLessThan(1_000);
      expect(bus.connected).toBe(true);
      await bus.publish('news', round);
      await heard.atLeast(round);
    }
    expect(states).toEqual(Array(3).fill(['disconnected', 'gap', 'connected']).flat());
    expect(heard.payloads).toEqual([1, 2, 3]);
  });

  it('is made as soon as the database is there', async () => {
    const proxy = await startProxy();
    await proxy.refuse();
    const { bus, milestones, warnings } = createBus({ url: proxy.url });
    const connected = once(milestones, 'connected');
    bus.start();
    await once(warnings, 'warning');
    expect(bus.connected).toBe(false);
    await proxy.accept();
    await connected;
    expect(bus.connected).toBe(true);
  });

  it('is made again when it is half-open, also when the next attempts get no answer', async () => {
    const proxy = await startProxy();
    const { bus, milestones } = await startBus({
      url: proxy.url,
      heartbeatEveryMs: 50,
      heartbeatTimeoutMs: 100,
    });
    const heard = listenTo(bus, 'news');
    proxy.swallow();
    await once(milestones, 'disconnected');
    expect(bus.connected).toBe(false);
    // The next attempt connects to the silent proxy, and must not wait for its answer for ever.
    await proxy.swallowed();
    const back = once(milestones, 'connected');
    proxy.forward();
    await back;
    await bus.publish('news', 'after');
    expect(await heard.atLeast(1)).toEqual(['after']);
  });

  it('ends with stop, which sends what was published before', async () => {
    const { bus } = await startBus();
    const listener = await startBus();
    const heard = listenTo(listener.bus, 'news');
    void bus.publish('news', 'last words');
    await bus.stop();
    expect(await heard.atLeast(1)).toEqual(['last words']);
    expect(bus.connected).toBe(false);
    await expect(bus.publish('news', 'too late')).rejects.toThrow('closed');
  });

  it('stops also while it cannot connect', async () => {
    const proxy = await startProxy();
    await proxy.refuse();
    const { bus, warnings } = createBus({ url: proxy.url });
    bus.start();
    await once(warnings, 'warning');
    await bus.stop();
  });
});
