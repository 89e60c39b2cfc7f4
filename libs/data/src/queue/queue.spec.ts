import { EventEmitter, once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startDatabaseProxy } from '../../../../test/support/database-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { Database } from '../database.js';
import { applicationConnection } from '../connection.js';
import { cleanExpired } from './clean-expired.js';
import { Queue, type Handler } from './queue.js';

let testDatabase: TestDatabase;
let database: Database;
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  // Every job in here is sent by a test: cron would add its own whenever the full ten minutes strike.
  await testDatabase.query('DELETE FROM pgboss.schedule');
  database = new Database({ url: testDatabase.url, name: 'queue-spec' });
});
beforeEach(() => testDatabase.query('DELETE FROM pgboss.job'));
afterEach(async () => {
  for (const part of running.splice(0).reverse()) await part.stop();
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

function createQueue(url = testDatabase.url) {
  const messages: { level: string; message: string; err?: unknown }[] = [];
  const events = new EventEmitter();
  const say = (level: string) => (details: object, message: string) => {
    messages.push({ level, message, ...details });
    events.emit(message);
  };
  const log = { info: say('info'), warn: say('warn'), error: say('error') };
  const queue = new Queue({ database: { connection: applicationConnection(url, 'queue-spec') }, log });
  running.push(queue);
  return { queue, messages, events };
}

/** A handler that tells when it ran. */
function countedHandler(handler: Handler<'clean-expired'> = async () => {}) {
  const runs = new EventEmitter();
  let count = 0;
  return {
    handler: (async (payload, signal) => {
      await handler(payload, signal);
      count++;
      runs.emit('run');
    }) satisfies Handler<'clean-expired'>,
    atLeast: async (wanted: number) => {
      while (count < wanted) await once(runs, 'run');
    },
    get count() {
      return count;
    },
  };
}

const sendOne = (queue: Queue) => database.transaction((tx) => queue.send(tx, 'clean-expired', {}));
const jobs = () =>
  testDatabase.query<{ state: string }>(`SELECT state FROM pgboss.job WHERE name = 'clean-expired'`);
const untilCompleted = async () => {
  while ((await jobs()).some(({ state }) => state !== 'completed')) await new Promise(setImmediate);
};

describe('send', () => {
  it('leaves nothing when its transaction is rolled back', async () => {
    const { queue } = createQueue();
    await queue.start();
    const rolledBack = database.transaction(async (tx) => {
      expect(await queue.send(tx, 'clean-expired', {})).toEqual(expect.any(String));
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(await jobs()).toEqual([]);
  });

  it('wakes the handler of another process at the commit, long before it would have polled', async () => {
    const [sender, receiver] = [createQueue(), createQueue()];
    const { handler, atLeast } = countedHandler();
    await receiver.queue.work('clean-expired', handler);
    await Promise.all([sender.queue.start(), receiver.queue.start()]);
    const latencies: number[] = [];
    for (let round = 1; round <= 5; round++) {
      await sendOne(sender.queue);
      const sentAt = performance.now();
      await atLeast(round);
      latencies.push(performance.now() - sentAt);
      await untilCompleted();
    }
    expect(Math.max(...latencies)).toBeLessThan(500);
    expect([...sender.messages, ...receiver.messages]).toEqual([]);
  });

  it('finds that one is enough while one waits', async () => {
    const { queue } = createQueue();
    await queue.start();
    expect(await sendOne(queue)).toEqual(expect.any(String));
    expect(await sendOne(queue)).toBeNull();
    expect(await jobs()).toEqual([{ state: 'created' }]);
  });

  it('is lost, and harms nothing, before the queue has started', async () => {
    const { queue } = createQueue();
    expect(await sendOne(queue)).toBeNull();
    expect(await jobs()).toEqual([]);
  });
});

describe('work', () => {
  it('has the same effect when a job comes twice', async () => {
    await testDatabase.query(
      `INSERT INTO sign_in_throttles (bucket, failures, window_ends_at)
       VALUES ('over', 1, now() - interval '1 second'), ('open', 1, now() + interval '1 hour')`,
    );
    const { queue } = createQueue();
    const { handler, atLeast } = countedHandler((_, signal) => cleanExpired(database, signal));
    await queue.start();
    await queue.work('clean-expired', handler);
    for (let round = 1; round <= 2; round++) {
      await sendOne(queue);
      await atLeast(round);
      await untilCompleted();
      expect(await testDatabase.query('SELECT bucket FROM sign_in_throttles')).toEqual([{ bucket: 'open' }]);
    }
  });

  it('tries again after a handler failed, and says so', async () => {
    const { queue, events } = createQueue();
    await queue.work('clean-expired', async () => {
      throw new Error('no');
    });
    await queue.start();
    const said = once(events, 'A handler of the queue failed');
    await sendOne(queue);
    await said;
    while ((await jobs())[0]!.state !== 'retry') await new Promise(setImmediate);
  });
});

describe('when the database goes away', () => {
  it('goes on after all of its connections were terminated', async () => {
    const { queue, messages } = createQueue();
    const { handler, atLeast } = countedHandler();
    await queue.work('clean-expired', handler);
    await queue.start();
    const ofQueue = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'queue-spec queue'`;
    for (let round = 1; round <= 2; round++) {
      // The one that listens and at least one that works.
      while ((await testDatabase.query(`SELECT ${ofQueue}`)).length < 2) await new Promise(setImmediate);
      await testDatabase.query(`SELECT pg_terminate_backend(pid) ${ofQueue}`);
      await sendOne(queue);
      await atLeast(round);
      await untilCompleted();
    }
    expect(messages.map(({ message }) => message)).toEqual(['The queue waits for the database']);
  });

  it('starts as soon as the database is there', async () => {
    const proxy = await startDatabaseProxy(testDatabase.url);
    running.unshift({ stop: proxy.close });
    await proxy.refuse();
    const { queue, events } = createQueue(proxy.url);
    const { handler, atLeast } = countedHandler();
    await queue.work('clean-expired', handler);
    const waiting = once(events, 'The queue waits for the database');
    const started = queue.start();
    await waiting;
    await proxy.accept();
    await started;
    await sendOne(queue);
    await atLeast(1);
  });

  it('stops while it waits for the database', async () => {
    const proxy = await startDatabaseProxy(testDatabase.url);
    running.unshift({ stop: proxy.close });
    await proxy.refuse();
    const { queue, events } = createQueue(proxy.url);
    const waiting = once(events, 'The queue waits for the database');
    const started = queue.start();
    await waiting;
    await queue.stop();
    await started;
  });

  it('stops within its time although nobody answers any more', async () => {
    const proxy = await startDatabaseProxy(testDatabase.url);
    running.unshift({ stop: proxy.close });
    const { queue } = createQueue(proxy.url);
    await queue.start();
    proxy.swallow();
    const askedAt = performance.now();
    await queue.stop({ timeoutMs: 1_000 });
    expect(performance.now() - askedAt).toBeLessThan(3_000);
  });
});

describe('stop', () => {
  it('lets a handler finish', async () => {
    const { queue } = createQueue();
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const { handler, ...runs } = countedHandler(async () => {
      begun.resolve();
      await gate.promise;
    });
    await queue.work('clean-expired', handler);
    await queue.start();
    await sendOne(queue);
    await begun.promise;
    const stopped = queue.stop();
    gate.resolve();
    await stopped;
    expect(await jobs()).toEqual([{ state: 'completed' }]);
    await runs.atLeast(1);
  });

  it('aborts a handler that does not finish in time and hands its job back', async () => {
    const { queue } = createQueue();
    const begun = Promise.withResolvers<AbortSignal>();
    await queue.work('clean-expired', (_, signal) => {
      begun.resolve(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    });
    await queue.start();
    await sendOne(queue);
    const signal = await begun.promise;
    await queue.stop({ timeoutMs: 1_000 });
    expect(signal.aborted).toBe(true);
    expect(await jobs()).toEqual([{ state: 'retry' }]);
  });
});
