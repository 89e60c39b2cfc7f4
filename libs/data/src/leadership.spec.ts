import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Database } from './database.js';
import { DatabaseUnavailable } from './errors.js';
import { Leadership, LeadershipLost, type LeadershipOptions } from './leadership.js';
import { SignalBus } from './signal-bus.js';
import { acquireLeadership, type AcquiredTerm } from './sql/acquire-leadership.js';
import { renewLeadership } from './sql/renew-leadership.js';
import type { Statement } from './statement.js';

/** What another process does although a transaction is open here: outside of its context. */
const outside: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

let testDatabase: TestDatabase;
let database: Database;
let duty: string;
const running: { stop(): Promise<void> }[] = [];
const ignore = () => {};
const log = { info: ignore, warn: ignore, error: ignore };

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = new Database({ url: testDatabase.url, name: 'leadership-spec', maxConnections: 20 });
});
beforeEach(() => {
  duty = `duty-${randomUUID()}`;
});
afterEach(async () => {
  for (const part of running.splice(0).reverse()) await part.stop();
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

/** The way to the database, with something in between that a test can put there. */
class Route {
  before: () => Promise<void> = async () => {};
  after: () => Promise<void> = async () => {};
  async query<Row>(statement: Statement): Promise<Row[]> {
    await this.before();
    const rows = await database.query<Row>(statement);
    await this.after();
    return rows;
  }
  transaction: Database['transaction'] = (work) => database.transaction(work);
}

function createLeader(options: Partial<LeadershipOptions> = {}) {
  const route = new Route();
  const leadership = new Leadership({ database: route, duty, log, ...options });
  const milestones = new EventEmitter();
  leadership.onAcquired((acquired) => void milestones.emit('acquired', acquired));
  leadership.onLost(() => void milestones.emit('lost'));
  running.push(leadership);
  return { leadership, route, milestones };
}

async function startLeader(options?: Partial<LeadershipOptions>) {
  const leader = createLeader(options);
  const acquired = once(leader.milestones, 'acquired');
  leader.leadership.start();
  await acquired;
  await turn();
  return leader;
}

interface Row {
  readonly term: string;
  readonly holder: string;
  readonly renewed_at: Date;
  readonly expires_at: Date;
}
const row = async () =>
  (await testDatabase.query<Row & object>('SELECT * FROM leadership WHERE duty = $1', [duty]))[0]!;
const changeRow = (change: string) =>
  testDatabase.query(`UPDATE leadership SET ${change} WHERE duty = $1`, [duty]);
const expire = () => changeRow(`expires_at = clock_timestamp() - interval '1 second'`);
const acquireAs = (holder: string, leaseMs = 60_000) =>
  acquireLeadership(database, { duty, holder, leaseMs });

const writeBucket = (bucket: string): Statement => ({
  text: `INSERT INTO sign_in_throttles (bucket, failures, window_ends_at) VALUES ($1, 0, now()) RETURNING bucket`,
  values: [bucket],
});
const isWritten = async (bucket: string) =>
  (await testDatabase.query('SELECT FROM sign_in_throttles WHERE bucket = $1', [bucket])).length === 1;

const longLease = { leaseMs: 60_000, renewEveryMs: 30_000 };
const shortLease = { leaseMs: 600, renewEveryMs: 100 };

describe('a term', () => {
  it('belongs to one; the next one is higher', async () => {
    const first = await startLeader(longLease);
    expect(first.leadership.isLeader).toBe(true);
    expect(first.leadership.term).toBe(1n);
    expect(await acquireAs(randomUUID())).toBeNull();
    await expire();
    expect(await acquireAs(randomUUID())).toMatchObject({ term: 2n });
    expect(await acquireAs(randomUUID())).toBeNull();
  });

  it('is issued once although many ask at once', async () => {
    const holders = Array.from({ length: 15 }, () => randomUUID());
    for (let round = 1n; round <= 4n; round++) {
      const answers = await Promise.all(holders.map((holder) => acquireAs(holder)));
      expect(answers.filter((answer) => answer !== null).map((answer) => answer.term)).toEqual([round]);
      await expire();
    }
  });

  it('is renewed, and the alive row with it', async () => {
    const { leadership } = await startLeader(shortLease);
    const before = await row();
    let after = before;
    while (after.renewed_at <= before.renewed_at) after = await row();
    expect(after.expires_at.getTime()).toBeGreaterThan(before.expires_at.getTime());
    expect(leadership.term).toBe(1n);
  });

  it('passes on at once when it is released', async () => {
    const bus = new SignalBus({ database, log });
    const connected = new Promise<void>((resolve) => bus.onGap(resolve));
    bus.start();
    running.push(bus);
    await connected;
    const first = await startLeader({ ...longLease, bus });
    const second = createLeader({ ...longLease, bus });
    second.leadership.start();
    while ((await row()).holder !== first.leadership.holder) await turn();
    const acquired = once(second.milestones, 'acquired');
    const lost = once(first.milestones, 'lost');
    const releasedAt = performance.now();
    await Promise.all([first.leadership.stop(), lost, acquired]);
    expect(performance.now() - releasedAt).toBeLessThan(500);
    expect(first.leadership.isLeader).toBe(false);
    expect(second.leadership.term).toBe(2n);
  });

  it('is had again at once when the answer to the first question was lost', async () => {
    const leader = createLeader({ leaseMs: 60_000, renewEveryMs: 50 });
    leader.route.after = async () => {
      leader.route.after = async () => {};
      throw new DatabaseUnavailable();
    };
    const acquired = once(leader.milestones, 'acquired');
    leader.leadership.start();
    await acquired;
    expect(leader.leadership.term).toBe(2n);
  });

  it('is taken from a holder whose lease ends later than any lease could', async () => {
    await acquireAs(randomUUID());
    // The database's clock was set back by 19 days, and the holder died.
    await changeRow(`expires_at = expires_at + interval '19 days'`);
    const { leadership } = await startLeader(longLease);
    expect(leadership.term).toBe(2n);
  });
});

describe('a leader that cannot renew', () => {
  it('steps down before another can begin, who takes over within the lease and a second', async () => {
    const first = await startLeader(shortLease);
    const second = createLeader(shortLease);
    second.leadership.start();
    first.route.before = () => new Promise(ignore);
    const silentSince = performance.now();
    const lost = once(first.milestones, 'lost').then(() => performance.now());
    const acquired = once(second.milestones, 'acquired').then(() => {
      expect(first.leadership.isLeader).toBe(false);
      expect(first.leadership.term).toBeNull();
      return performance.now();
    });
    const [lostAt, acquiredAt] = await Promise.all([lost, acquired]);
    expect(lostAt).toBeLessThan(acquiredAt);
    expect(acquiredAt - silentSince).toBeLessThan(shortLease.leaseMs + 1_000);
  });

  it('counts its lease from before it asked, not from the answer', async () => {
    const first = await startLeader(shortLease);
    const second = createLeader(shortLease);
    second.leadership.start();
    const acquired = once(second.milestones, 'acquired').then(() => first.leadership.isLeader);
    // One more renewal takes effect, but its answer takes half a lease; then nothing gets through.
    first.route.after = async () => {
      first.route.before = () => new Promise(ignore);
      await delay(shortLease.leaseMs / 2);
    };
    expect(await acquired).toBe(false);
  });

  it('steps down while the database is away and leads again, in a new term, when it is back', async () => {
    const { leadership, route, milestones } = await startLeader(shortLease);
    route.before = async () => {
      throw new DatabaseUnavailable();
    };
    await once(milestones, 'lost');
    expect(leadership.isLeader).toBe(false);
    await expect(leadership.fenced(async () => 'written')).rejects.toBeInstanceOf(LeadershipLost);
    const acquired = once(milestones, 'acquired');
    route.before = async () => {};
    await acquired;
    expect(leadership.term).toBe(2n);
  });

  it('learns from its next renewal that another has the duty', async () => {
    const { leadership, milestones } = await startLeader({ leaseMs: 60_000, renewEveryMs: 100 });
    const lost = once(milestones, 'lost');
    await expire();
    await acquireAs(randomUUID());
    await lost;
    expect(leadership.isLeader).toBe(false);
  });

  it('stops although the database does not answer', async () => {
    const { leadership, route } = await startLeader({ leaseMs: 60_000, renewEveryMs: 20 });
    const asked = new Promise<void>((resolve) => {
      route.before = () => new Promise(() => resolve());
    });
    await asked;
    await leadership.stop();
    expect(leadership.isLeader).toBe(false);
  });
});

describe('the fence', () => {
  it('lets the leader write within its term', async () => {
    const { leadership } = await startLeader(longLease);
    const term = await leadership.fenced(async (tx, term) => {
      await tx.query(writeBucket('in-term'));
      return term;
    });
    expect(term).toBe(1n);
    expect(await isWritten('in-term')).toBe(true);
  });

  it.each([
    ['has passed to another', () => acquireAs(randomUUID())],
    ['has run out', async () => {}],
  ])('refuses a leader that believes in its term when it %s', async (_, afterExpiry) => {
    const { leadership } = await startLeader(longLease);
    await expire();
    await afterExpiry();
    expect(leadership.isLeader).toBe(true);
    await expect(leadership.fenced((tx) => tx.query(writeBucket('stale')))).rejects.toBeInstanceOf(
      LeadershipLost,
    );
    expect(await isWritten('stale')).toBe(false);
  });

  it('makes the next term wait for what the old one is about to commit', async () => {
    const { leadership } = await startLeader(longLease);
    const successor = randomUUID();
    let next: Promise<AcquiredTerm | null>;
    await leadership.fenced(async (tx) => {
      await expire();
      next = outside(() => acquireAs(successor));
      await untilSomebodyWaits();
      await tx.query(writeBucket('just-in-time'));
    });
    expect(await next!).toMatchObject({ term: 2n });
    expect(await isWritten('just-in-time')).toBe(true);
    await expect(leadership.fenced(async () => {})).rejects.toBeInstanceOf(LeadershipLost);
  });

  it('refuses whoever comes while the next term is being issued', async () => {
    const { leadership } = await startLeader(longLease);
    // Free for a successor, and yet no reason for the fence itself to refuse.
    await changeRow(`expires_at = expires_at + interval '1 day'`);
    let stale: Promise<unknown>;
    await database.transaction(async (tx) => {
      await acquireLeadership(tx, { duty, holder: randomUUID(), leaseMs: 60_000 });
      stale = outside(() => leadership.fenced((own) => own.query(writeBucket('too-late')))).catch(
        (error) => error,
      );
      await untilSomebodyWaits();
    });
    expect(await stale!).toBeInstanceOf(LeadershipLost);
    expect(await isWritten('too-late')).toBe(false);
  });

  it('does not keep the leader itself from renewing', async () => {
    const { leadership } = await startLeader(longLease);
    const held = { duty, holder: leadership.holder, term: 1n };
    await leadership.fenced(async () => {
      expect(await outside(() => renewLeadership(database, held, { leaseMs: 60_000, alive: true }))).toBe(
        true,
      );
    });
  });

  it('is not held by a leader that is paused inside it', async () => {
    const leaseMs = 600;
    const { leadership, route } = await startLeader({ leaseMs, renewEveryMs: 100 });
    const successor = createLeader({ leaseMs, renewEveryMs: 100 });
    const acquired = once(successor.milestones, 'acquired');
    const pausedAt = performance.now();
    const paused = leadership.fenced(async (tx) => {
      await tx.query(writeBucket('paused'));
      route.before = () => new Promise(ignore);
      outside(() => successor.leadership.start());
      await acquired;
      return tx.query(writeBucket('paused-later'));
    });
    await expect(paused).rejects.toThrow();
    expect(performance.now() - pausedAt).toBeLessThan(leaseMs + 1_000);
    expect(await isWritten('paused')).toBe(false);
    expect(await isWritten('paused-later')).toBe(false);
  });
});

describe('the gap before a term', () => {
  const awayForTenMinutes = async () => {
    await acquireAs(randomUUID());
    await changeRow(`renewed_at = clock_timestamp() - interval '10 minutes', expires_at = renewed_at`);
  };

  it('is told to whoever takes the duty, and is none for the first', async () => {
    const first = createLeader(longLease);
    const begun = once(first.milestones, 'acquired');
    first.leadership.start();
    expect(await begun).toEqual([{ term: 1n, previouslyRenewedAt: null, gapMs: 0 }]);
    await first.leadership.stop();

    await changeRow(`renewed_at = clock_timestamp() - interval '10 minutes'`);
    const second = createLeader(longLease);
    const again = once(second.milestones, 'acquired');
    second.leadership.start();
    const [acquired] = (await again) as [AcquiredTerm];
    expect(acquired.gapMs).toBeGreaterThanOrEqual(600_000);
    expect(acquired.gapMs).toBeLessThan(610_000);
    expect(acquired.previouslyRenewedAt).toEqual((await row()).renewed_at);
  });

  it('is dealt with before the duties run and before the alive row moves', async () => {
    await awayForTenMinutes();
    const { renewed_at: lastSeen } = await row();
    const { leadership, milestones } = createLeader(shortLease);
    const shifting = Promise.withResolvers<void>();
    leadership.onAcquired(async () => {
      await leadership.fenced((tx) => tx.query(writeBucket(`shifted-${duty}`)));
      milestones.emit('shifted');
      await shifting.promise;
    });
    const shifted = once(milestones, 'shifted');
    leadership.start();
    await shifted;
    const { expires_at: firstLease } = await row();
    let now = await row();
    while (now.expires_at <= firstLease) now = await row();
    expect(now.renewed_at).toEqual(lastSeen);
    expect(leadership.isLeader).toBe(false);
    expect(leadership.term).toBe(2n);

    shifting.resolve();
    while (now.renewed_at <= lastSeen) now = await row();
    expect(leadership.isLeader).toBe(true);
  });

  it('stays for the next term when it could not be dealt with', async () => {
    await awayForTenMinutes();
    const { leadership } = createLeader(shortLease);
    const gaps: number[] = [];
    const third = new Promise<void>((resolve) => {
      leadership.onAcquired(({ gapMs }) => {
        gaps.push(gapMs);
        if (gaps.length < 3) throw new Error('not yet');
        resolve();
      });
    });
    leadership.start();
    await third;
    await turn();
    expect(gaps.every((gap) => gap >= 600_000)).toBe(true);
    expect(leadership.isLeader).toBe(true);
    expect(leadership.term).toBe(4n);
  });
});

describe('under random pauses', () => {
  it('never two lead at once, and terms only grow', async () => {
    const pauses = fc.array(
      fc.record({ before: fc.integer({ min: 0, max: 250 }), after: fc.integer({ min: 0, max: 250 }) }),
      { minLength: 1, maxLength: 12 },
    );
    let led = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(pauses, { minLength: 3, maxLength: 3 }), async (plans) => {
        duty = `duty-${randomUUID()}`;
        const terms: bigint[] = [];
        const leaders = plans.map((plan) => {
          const leader = createLeader({ leaseMs: 150, renewEveryMs: 30 });
          let asked = 0;
          // Half of the statements are quick, or nobody would ever lead.
          const wait = (when: 'before' | 'after') => async () => {
            const pause = plan[(asked >> 1) % plan.length]![when];
            if (asked % 2 === 0) await delay(pause);
            if (when === 'after') asked++;
          };
          leader.route.before = wait('before');
          leader.route.after = wait('after');
          leader.leadership.onAcquired(({ term }) => void terms.push(term));
          leader.leadership.start();
          return leader.leadership;
        });
        const end = performance.now() + 800;
        while (performance.now() < end) {
          const leading = leaders.filter((leader) => leader.isLeader);
          expect(leading.length).toBeLessThanOrEqual(1);
          led += leading.length;
          await turn();
        }
        await Promise.all(leaders.map((leader) => leader.stop()));
        expect(new Set(terms).size).toBe(terms.length);
        expect(terms).toEqual(terms.toSorted((a, b) => (a < b ? -1 : 1)));
      }),
      { numRuns: 6, endOnFailure: true },
    );
    expect(led).toBeGreaterThan(0);
  });
});

/** Resolves when a statement waits for a row lock: the race is then set up, not hoped for. */
async function untilSomebodyWaits(): Promise<void> {
  const waiting = async () =>
    testDatabase.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%leadership%'`,
    );
  while ((await waiting()).length === 0) await turn();
}
