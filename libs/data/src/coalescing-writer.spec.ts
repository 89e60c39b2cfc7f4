import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { CoalescingWriter, WriterClosed } from './coalescing-writer.js';
import { Database } from './database.js';
import { DatabaseUnavailable, Overloaded } from './errors.js';

/** A statement that waits until the test lets it finish. */
function gatedStatement() {
  const batches: number[][] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  return {
    batches,
    write: async (items: number[]) => {
      batches.push(items);
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      return items.map((item) => `result ${item}`);
    },
    finish: async (place: number) => {
      gates[place]!.resolve();
      await turn();
    },
  };
}

const sqlError = (code: string) => Object.assign(new Error(`SQLSTATE ${code}`), { code });

describe('when an item leaves', () => {
  it('sends what arrives in one turn as one statement, in that same turn', async () => {
    const statement = gatedStatement();
    const writer = new CoalescingWriter({ name: 'numbers', write: statement.write });
    const written = Promise.all([1, 2, 3].map((item) => writer.write(item)));
    await turn();
    expect(statement.batches).toEqual([[1, 2, 3]]);
    await statement.finish(0);
    expect(await written).toEqual(['result 1', 'result 2', 'result 3']);
  });

  it('collects while a statement is under way', async () => {
    const statement = gatedStatement();
    const writer = new CoalescingWriter({ name: 'numbers', write: statement.write });
    const written = [writer.write(1)];
    await turn();
    for (const item of [2, 3, 4]) {
      written.push(writer.write(item));
      await turn();
    }
    expect(statement.batches).toEqual([[1]]);
    expect(writer.queued).toBe(3);
    await statement.finish(0);
    await turn();
    expect(statement.batches).toEqual([[1], [2, 3, 4]]);
    await statement.finish(1);
    await Promise.all(written);
  });

  it('puts requests of several sockets that are read in one turn into one statement', async () => {
    const statement = gatedStatement();
    const writer = new CoalescingWriter({ name: 'numbers', write: statement.write });
    const accepted: Socket[] = [];
    const server = createServer((socket) => {
      accepted.push(socket);
      socket.on('data', () => void writer.write(1));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const clients = Array.from({ length: 10 }, () => connect(port, '127.0.0.1'));
    await Promise.all(clients.map((client) => once(client, 'connect')));
    while (accepted.length < clients.length) await turn();

    const lastRead = once(accepted.at(-1)!, 'data');
    for (const client of clients) client.write('x');
    await lastRead;
    await turn();
    expect(statement.batches).toEqual([Array(10).fill(1)]);

    await statement.finish(0);
    for (const socket of [...clients, ...accepted]) socket.destroy();
    server.close();
  });

  it('runs in no caller’s async context', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const writer = new CoalescingWriter({
      name: 'numbers',
      write: async (items: number[]) => {
        seen.push(context.getStore());
        return items;
      },
    });
    await context.run('a request', () => writer.write(1));
    expect(seen).toEqual([undefined]);
  });
});

describe('faults', () => {
  const failing = (error: unknown) => async () => {
    throw error;
  };

  it('gives every caller the error when it says nothing about an item, and does not repeat the batch', async () => {
    let calls = 0;
    const writer = new CoalescingWriter<number, number>({
      name: 'numbers',
      write: async () => {
        calls++;
        throw new DatabaseUnavailable();
      },
    });
    const outcomes = await Promise.allSettled([writer.write(1), writer.write(2)]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(calls).toBe(1);
  });

  it('repeats a lost conflict a few times, then gives up', async () => {
    let calls = 0;
    const conflict = (lost: number) => async (items: number[]) => {
      if (++calls <= lost) throw sqlError('40P01');
      return items;
    };
    const lucky = new CoalescingWriter({ name: 'numbers', write: conflict(2) });
    expect(await lucky.write(7)).toBe(7);
    expect(calls).toBe(3);

    calls = 0;
    const unlucky = new CoalescingWriter({ name: 'numbers', write: conflict(Infinity) });
    await expect(unlucky.write(7)).rejects.toMatchObject({ code: '40P01' });
    expect(calls).toBe(4);
  });

  it.each(['22P02', '23505', '54000', 'MU001'])('halves a batch after SQLSTATE %s', async (code) => {
    const sizes: number[] = [];
    const writer = new CoalescingWriter({
      name: 'numbers',
      write: async (items: number[]) => {
        sizes.push(items.length);
        if (items.includes(3)) throw sqlError(code);
        return items;
      },
    });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((item) => writer.write(item)));
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(sizes).toEqual([4, 2, 2, 1, 1]);
  });

  it('halves after a fault that only the owner knows', async () => {
    class Refused extends Error {}
    const writer = new CoalescingWriter({
      name: 'numbers',
      isItemFault: (error) => error instanceof Refused,
      write: async (items: number[]) => {
        if (items.includes(2)) throw new Refused();
        return items;
      },
    });
    const outcomes = await Promise.allSettled([1, 2].map((item) => writer.write(item)));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected']);
  });

  it('refuses a statement that answers for another number of items', async () => {
    const writer = new CoalescingWriter({ name: 'numbers', write: async () => [1] });
    const outcomes = await Promise.allSettled([writer.write(1), writer.write(2)]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
  });

  it('goes on after a failure', async () => {
    let error: unknown = new DatabaseUnavailable();
    const writer = new CoalescingWriter({
      name: 'numbers',
      write: async (items: number[]) => (error ? failing(error)() : items),
    });
    await expect(writer.write(1)).rejects.toBeInstanceOf(DatabaseUnavailable);
    error = undefined;
    expect(await writer.write(2)).toBe(2);
  });
});

describe('bounds', () => {
  it('refuses at once what exceeds the bound', async () => {
    const statement = gatedStatement();
    const writer = new CoalescingWriter({ name: 'numbers', write: statement.write, maxQueued: 2 });
    const accepted = [writer.write(1), writer.write(2)];
    await expect(writer.write(3)).rejects.toBeInstanceOf(Overloaded);
    await turn();
    await statement.finish(0);
    await Promise.all(accepted);
    expect(statement.batches).toEqual([[1, 2]]);
  });

  it('holds producers back at half the bound and lets them in as items leave', async () => {
    const statement = gatedStatement();
    const writer = new CoalescingWriter({ name: 'numbers', write: statement.write, maxQueued: 4 });
    const written: Promise<string>[] = [writer.write(0)];
    await turn();
    const produce = async (item: number) => {
      await writer.room();
      written.push(writer.write(item));
    };
    await Promise.all([produce(1), produce(2)]);
    const held = [3, 4, 5, 6, 7].map(produce);
    await turn();
    expect(writer.queued).toBe(2);
    for (let place = 0; place < 5; place++) {
      while (statement.batches.length <= place) await turn();
      await statement.finish(place);
    }
    await Promise.all(held);
    await Promise.all(written);
    expect(statement.batches).toEqual([[0], [1, 2], [3, 4], [5, 6], [7]]);
  });

  it('lets waiting producers in although those before them wrote nothing', async () => {
    const statement = gatedStatement();
    const writer = new CoalescingWriter({ name: 'numbers', write: statement.write, maxQueued: 2 });
    const written = writer.write(1);
    const waiting = [1, 2, 3, 4, 5].map(() => writer.room());
    await turn();
    await statement.finish(0);
    await written;
    await Promise.all(waiting);
  });

  it('fills a batch up to its bytes, in order, and sends a larger item alone', async () => {
    const statement = gatedStatement();
    const writer = new CoalescingWriter({
      name: 'numbers',
      write: statement.write,
      sizeOf: (item) => item,
      maxBatchBytes: 10,
    });
    const items = [4, 6, 1, 25, 3, 8, 2];
    const written = Promise.all(items.map((item) => writer.write(item)));
    for (let place = 0; place < 5; place++) {
      while (statement.batches.length <= place) await turn();
      await statement.finish(place);
    }
    expect(await written).toEqual(items.map((item) => `result ${item}`));
    expect(statement.batches).toEqual([[4, 6], [1], [25], [3], [8, 2]]);
  });

  it('refuses what exceeds the bytes that may wait, and accepts again once they left', async () => {
    const statement = gatedStatement();
    const writer = new CoalescingWriter({
      name: 'numbers',
      write: statement.write,
      sizeOf: (item) => item,
      maxQueuedBytes: 10,
    });
    const accepted = [writer.write(7)];
    await expect(writer.write(4)).rejects.toBeInstanceOf(Overloaded);
    accepted.push(writer.write(3));
    expect(writer.queuedBytes).toBe(10);
    await turn();
    expect(writer.queuedBytes).toBe(0);
    accepted.push(writer.write(9));
    await statement.finish(0);
    while (statement.batches.length < 2) await turn();
    await statement.finish(1);
    await Promise.all(accepted);
    expect(statement.batches).toEqual([[7, 3], [9]]);
  });

  it('keeps hundreds of large items within the default bytes', async () => {
    const size = 620 * 1024;
    const sizes: number[] = [];
    const writer = new CoalescingWriter({
      name: 'numbers',
      sizeOf: () => size,
      write: async (items: number[]) => {
        sizes.push(items.length);
        return items;
      },
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 500 }, (_, item) => writer.write(item)));
    const written = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(written).toHaveLength(Math.floor((64 * 1024 * 1024) / size));
    expect(Math.max(...sizes)).toBe(3);
  });

  it('bounds the number alone where sizes are not told', async () => {
    const writer = new CoalescingWriter({
      name: 'numbers',
      maxBatchBytes: 1,
      maxQueuedBytes: 1,
      write: async (items: number[]) => items.map(() => items.length),
    });
    expect(await Promise.all([1, 2, 3].map((item) => writer.write(item)))).toEqual([3, 3, 3]);
    await writer.room();
  });

  it('gives the caller the error of a size that cannot be told, and goes on', async () => {
    const writer = new CoalescingWriter({
      name: 'numbers',
      sizeOf: (item: number) => {
        if (item === 1) throw new RangeError('no size');
        return 1;
      },
      write: async (items: number[]) => items,
    });
    await expect(writer.write(1)).rejects.toBeInstanceOf(RangeError);
    expect(await writer.write(2)).toBe(2);
  });

  it('holds producers of large items back at half the bytes, so that none is refused', async () => {
    const statement = gatedStatement();
    const writer = new CoalescingWriter({
      name: 'numbers',
      write: statement.write,
      sizeOf: () => 10,
      maxQueuedBytes: 40,
    });
    const written: Promise<string>[] = [writer.write(0)];
    await turn();
    const produce = async (item: number) => {
      await writer.room();
      written.push(writer.write(item));
    };
    await Promise.all([produce(1), produce(2)]);
    const held = [3, 4, 5, 6, 7].map(produce);
    await turn();
    expect(writer.queuedBytes).toBe(20);
    for (let place = 0; place < 5; place++) {
      while (statement.batches.length <= place) await turn();
      await statement.finish(place);
    }
    await Promise.all(held);
    await Promise.all(written);
    expect(statement.batches).toEqual([[0], [1, 2], [3, 4], [5, 6], [7]]);
  });

  it('drains what was accepted and refuses the rest after close', async () => {
    const statement = gatedStatement();
    const writer = new CoalescingWriter({ name: 'numbers', write: statement.write, maxBatch: 1 });
    const settled: string[] = [];
    const written = [writer.write(1), writer.write(2)].map((write) =>
      write.then((result) => settled.push(result)),
    );
    const closed = writer.close();
    await expect(writer.write(3)).rejects.toBeInstanceOf(WriterClosed);
    await turn();
    await statement.finish(0);
    await turn();
    await statement.finish(1);
    await closed;
    await Promise.all(written);
    expect(settled).toEqual(['result 1', 'result 2']);
    await writer.drain();
  });
});

describe('whatever happens', () => {
  type Fate = 'written' | 'lost before the commit' | 'lost after the commit' | 'conflict';
  const fate = fc.oneof(
    { weight: 8, arbitrary: fc.constant<Fate>('written') },
    { weight: 1, arbitrary: fc.constant<Fate>('lost before the commit') },
    { weight: 1, arbitrary: fc.constant<Fate>('lost after the commit') },
    { weight: 1, arbitrary: fc.constant<Fate>('conflict') },
  );
  const scenario = fc.record({
    maxBatch: fc.integer({ min: 1, max: 7 }),
    maxQueued: fc.integer({ min: 1, max: 30 }),
    maxBatchBytes: fc.integer({ min: 1, max: 30 }),
    maxQueuedBytes: fc.integer({ min: 1, max: 100 }),
    sized: fc.boolean(),
    concurrency: fc.integer({ min: 1, max: 3 }),
    // Items that arrive together, each good or bad and of some size, and the turns of the event loop until the next arrival.
    arrivals: fc.array(
      fc.record({
        items: fc.array(fc.record({ good: fc.boolean(), bytes: fc.integer({ min: 0, max: 40 }) }), {
          maxLength: 12,
        }),
        turns: fc.integer({ min: 0, max: 3 }),
      }),
      { maxLength: 15 },
    ),
    statements: fc.array(fc.record({ fate, turns: fc.integer({ min: 0, max: 4 }) }), {
      minLength: 1,
      maxLength: 20,
    }),
  });

  it('each caller gets exactly its own outcome, in order, within the bounds', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ sized, concurrency, arrivals, statements, ...bounds }) => {
        const { maxBatch, maxQueued, maxBatchBytes, maxQueuedBytes } = bounds;
        const ledger: number[] = [];
        const bad = new Set<number>();
        const sizes: number[] = [];
        const waiting = new Set<number>();
        const bytesOf = (items: Iterable<number>) =>
          sized ? [...items].reduce((sum, item) => sum + sizes[item]!, 0) : 0;
        let underWay = 0;
        let statementsSent = 0;

        const writer = new CoalescingWriter<number, string>({
          name: 'numbers',
          ...bounds,
          ...(sized && { sizeOf: (item: number) => sizes[item]! }),
          concurrency,
          write: async (items) => {
            const { fate, turns } = statements[statementsSent++ % statements.length]!;
            expect(items.length).toBeLessThanOrEqual(maxBatch);
            if (items.length > 1) expect(bytesOf(items)).toBeLessThanOrEqual(maxBatchBytes);
            for (const item of items) waiting.delete(item);
            expect(++underWay).toBeLessThanOrEqual(concurrency);
            for (let left = turns; left > 0; left--) await turn();
            underWay--;
            // Every scenario ends: whoever repeats a statement meets a better fate in the end.
            if (fate === 'conflict' && statements.some((statement) => statement.fate !== 'conflict')) {
              throw sqlError('40001');
            }
            if (fate === 'lost before the commit') throw new DatabaseUnavailable();
            if (items.some((item) => bad.has(item))) throw sqlError('23514');
            ledger.push(...items);
            if (fate === 'lost after the commit') throw new DatabaseUnavailable();
            return items.map((item) => `result ${item}`);
          },
        });

        const outcomes: Promise<void>[] = [];
        let settled = 0;
        let item = 0;
        for (const { items, turns } of arrivals) {
          for (const { good, bytes } of items) {
            const id = item++;
            sizes.push(bytes);
            if (!good) bad.add(id);
            const full = waiting.size >= maxQueued || bytesOf(waiting) + bytesOf([id]) > maxQueuedBytes;
            if (!full) waiting.add(id);
            outcomes.push(
              writer.write(id).then(
                (result) => {
                  settled++;
                  expect(result).toBe(`result ${id}`);
                  expect(ledger.filter((entry) => entry === id)).toHaveLength(1);
                },
                (error: { code?: string }) => {
                  settled++;
                  const times = ledger.filter((entry) => entry === id).length;
                  if (full) expect(error).toBeInstanceOf(Overloaded);
                  if (error instanceof Overloaded) {
                    expect(full).toBe(true);
                    expect(times).toBe(0);
                  } else if (error instanceof DatabaseUnavailable) {
                    expect(times).toBeLessThanOrEqual(1);
                  } else if (error.code === '40001') {
                    expect(times).toBe(0);
                  } else {
                    expect(error.code).toBe('23514');
                    expect(bad.has(id)).toBe(true);
                  }
                },
              ),
            );
            expect(writer.queued).toBe(waiting.size);
            expect(writer.queuedBytes).toBe(bytesOf(waiting));
            expect(writer.queued).toBeLessThanOrEqual(maxQueued);
            expect(writer.queuedBytes).toBeLessThanOrEqual(maxQueuedBytes);
          }
          for (let left = turns; left > 0; left--) await turn();
        }
        await writer.close();
        expect(settled).toBe(item);
        await Promise.all(outcomes);
        expect(new Set(ledger).size).toBe(ledger.length);
        if (concurrency === 1) expect(ledger).toEqual(ledger.toSorted((a, b) => a - b));
      }),
      { numRuns: 150 },
    );
  });
});

describe('on PostgreSQL', () => {
  let testDatabase: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = new Database({ url: testDatabase.url, name: 'coalescing-writer-spec' });
  });
  afterAll(async () => {
    await database?.close();
    await testDatabase?.drop();
  });

  it('writes concurrent items with one commit and isolates a broken constraint', async () => {
    const writer = new CoalescingWriter<string, { bucket: string }>({
      name: 'buckets',
      write: (buckets) =>
        database.query({
          name: 'insert_buckets',
          text: `INSERT INTO sign_in_throttles (bucket, failures, window_ends_at)
                 SELECT bucket, 0, now() FROM unnest($1::text[]) AS bucket RETURNING bucket`,
          values: [buckets],
        }),
    });
    const first = Array.from({ length: 200 }, (_, place) => `bucket-${place}`);
    expect(await Promise.all(first.map((bucket) => writer.write(bucket)))).toEqual(
      first.map((bucket) => ({ bucket })),
    );
    const commits = await testDatabase.query<{ count: number }>(
      'SELECT count(DISTINCT xmin::text)::int FROM sign_in_throttles',
    );
    expect(commits).toEqual([{ count: 1 }]);

    const second = [
      ...Array.from({ length: 50 }, (_, place) => `other-${place}`),
      'bucket-7',
      'nul\0byte',
      'last',
    ];
    const outcomes = await Promise.allSettled(second.map((bucket) => writer.write(bucket)));
    const failed = second.filter((_, place) => outcomes[place]!.status === 'rejected');
    expect(failed).toEqual(['bucket-7', 'nul\0byte']);
    const [{ written }] = (await testDatabase.query<{ written: number }>(
      'SELECT count(*)::int AS written FROM sign_in_throttles',
    )) as [{ written: number }];
    expect(written).toBe(200 + 51);
  });
});
