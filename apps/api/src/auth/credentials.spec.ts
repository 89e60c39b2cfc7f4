import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@muster/data/database';
import type { SignalBus } from '@muster/data/signal-bus';
import type { Transaction } from '@muster/data/transaction';
import { Credentials } from './credentials.js';
import type { Tokens } from './tokens.js';

const SESSION = '11111111-1111-4111-8111-111111111111';

let credentials: Credentials;
/** How often the table was asked, and what it says. */
let lookUps: number;
let isLive: boolean;
let whileLookingUp: () => void;
/** A bus whose signals the test delivers itself, or loses. */
let bus: { connected: boolean; published: unknown[]; signal: () => void; gap: () => void };

beforeEach(() => {
  lookUps = 0;
  isLive = true;
  whileLookingUp = () => {};
  bus = { connected: true, published: [], signal: () => {}, gap: () => {} };
  const database = {
    query: async () => {
      lookUps++;
      const rows = isLive
        ? [{ user_id: 'u', username: 'a', role: 'admin', expires_at: null, remaining_ms: 60_000 }]
        : [];
      whileLookingUp();
      return rows;
    },
  };
  const signals = {
    get connected() {
      return bus.connected;
    },
    subscribe: (_topic: string, handler: () => void) => void (bus.signal = handler),
    onGap: (handler: () => void) => void (bus.gap = handler),
    publishWithin: async (_tx: unknown, _topic: string, payload: unknown) => void bus.published.push(payload),
  };
  credentials = new Credentials(
    database as unknown as Database,
    signals as unknown as SignalBus,
    { sessionOf: async () => SESSION } as unknown as Tokens,
  );
});

const isKnown = async () => (await credentials.identify('a token')) !== null;

describe('who a token proves', () => {
  it('is looked up once and then remembered', async () => {
    expect([await isKnown(), await isKnown(), lookUps]).toEqual([true, true, 1]);
  });

  it('is forgotten at once by the process that ends it, before any signal arrives', async () => {
    await isKnown();
    isLive = false;
    const tx = { afterCommit: (effect: () => void) => effect() } as unknown as Transaction;
    await credentials.announce(tx, { sessionId: SESSION });
    expect([await isKnown(), bus.published]).toEqual([false, [{ sessionId: SESSION }]]);
  });

  it('is forgotten by the others when they hear of it, and when they may have missed it', async () => {
    for (const hear of [() => bus.signal(), () => bus.gap()]) {
      isLive = true;
      expect(await isKnown()).toBe(true);
      isLive = false;
      hear();
      expect(await isKnown()).toBe(false);
    }
  });

  it('is neither remembered nor believed while no signal could be heard', async () => {
    await isKnown();
    bus.connected = false;
    isLive = false;
    expect(await isKnown()).toBe(false);
    isLive = true;
    await isKnown();
    expect(lookUps).toBe(3);
  });

  it('is not remembered if something changed while it was looked up', async () => {
    whileLookingUp = () => bus.signal();
    await isKnown();
    whileLookingUp = () => {};
    isLive = false;
    expect(await isKnown()).toBe(false);
  });
});
