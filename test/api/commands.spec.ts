import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@muster/data/database';
import { DatabaseUnavailable, Overloaded } from '@muster/data/errors';
import {
  conflict,
  forbidden,
  missing,
  throttled,
  unacceptable,
  unauthenticated,
} from '@muster/domain/errors';
import type { FastifyReply } from 'fastify';
import { Commands, type Call } from '../../apps/api/src/http/commands.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

let testDatabase: TestDatabase;
let database: Database;
let commands: Commands;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = new Database({ url: testDatabase.url, name: 'test-commands' });
  commands = new Commands(database);
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

function callWith(key: string): Call & { readonly sent: { statusCode: number } } {
  const sent = {
    statusCode: 200,
    code: (status: number) => ((sent.statusCode = status), sent),
    header: () => sent,
  };
  return {
    caller: {
      kind: 'user',
      accountId: '11111111-1111-4111-8111-111111111111',
      name: 'a',
      role: 'admin',
      sessionId: null,
      expiresAt: null,
    },
    method: 'POST',
    url: '/api/things',
    body: { a: 1 },
    idempotencyKey: key,
    reply: sent as unknown as FastifyReply,
    sent,
  };
}

const refuseWith = (error: unknown) => () => Promise.reject(error as Error);

describe('under an idempotency key', () => {
  it.each([
    ['403', forbidden('NO', 'no')],
    ['404', missing('thing')],
    ['409', conflict('IN_THE_WAY', 'no', { status: 'running' })],
    ['422', unacceptable('NO', 'no')],
  ])('a refusal with %s is kept', async (status, refusal) => {
    const key = randomUUID();
    await expect(commands.run(callWith(key), refuseWith(refusal))).rejects.toThrow(refusal.message);
    const again = callWith(key);
    const answer = await commands.run(again, () => Promise.resolve({ done: true }));
    expect(answer).toMatchObject({ status: Number(status), code: refusal.code });
    expect(again.sent.statusCode).toBe(Number(status));
  });

  it.each([
    ['401', unauthenticated()],
    ['429', throttled('SLOWLY', 'slowly', 1)],
    ['429, being overloaded', new Overloaded('everything')],
    ['503', new DatabaseUnavailable()],
    ['500', new Error('nobody foresaw this')],
  ])('%s is not', async (_status, refusal) => {
    const key = randomUUID();
    await expect(commands.run(callWith(key), refuseWith(refusal))).rejects.toThrow(refusal.message);
    expect(await testDatabase.query('SELECT 1 FROM idempotency_keys WHERE key = $1', [key])).toEqual([]);
    expect(await commands.run(callWith(key), () => Promise.resolve({ done: true }))).toEqual({ done: true });
  });

  it('what a change did goes with the refusal, and with the answer', async () => {
    const add = (name: string) => `INSERT INTO server_secrets (name, value) VALUES ('${name}', 'x')`;
    const refusal = conflict('NO', 'no');
    const refused = commands.run(callWith(randomUUID()), async (tx) => {
      await tx.query({ text: add('refused') });
      throw refusal;
    });
    await expect(refused).rejects.toThrow(refusal.message);
    await commands.run(callWith(randomUUID()), async (tx) => void (await tx.query({ text: add('done') })));
    expect(await testDatabase.query('SELECT name FROM server_secrets')).toEqual([{ name: 'done' }]);
  });

  it('whoever is refused while another with the same key succeeds gets that one’s answer', async () => {
    const key = randomUUID();
    // The first is refused once the second waits for it; the second succeeds once the first wants to note that.
    const first = commands.run<object>(callWith(key), async () => {
      await oneWaits();
      throw conflict('TOO_EARLY', 'not yet');
    });
    await eventually(
      () =>
        testDatabase.query(
          `SELECT 1 FROM pg_stat_activity WHERE application_name = 'test-commands' AND state = 'idle in transaction'`,
        ),
      (rows) => rows.length > 0,
    );
    const second = commands.run<object>(callWith(key), async () => {
      await oneWaits();
      return { done: true };
    });
    expect([await first, await second]).toEqual([{ done: true }, { done: true }]);
  });
});

/** Somebody waits for a lock. */
async function oneWaits(): Promise<void> {
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'test-commands' AND wait_event_type = 'Lock'`;
  await eventually(
    () => testDatabase.query(waiting),
    (rows) => rows.length > 0,
  );
}
