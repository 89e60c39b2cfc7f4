import { randomUUID } from 'node:crypto';
import type { Database } from './database.js';
import type { Log } from './log.js';
import type { SignalBus } from './signal-bus.js';
import { acquireLeadership, type AcquiredTerm } from './sql/acquire-leadership.js';
import { lockLeadership } from './sql/lock-leadership.js';
import { releaseLeadership } from './sql/release-leadership.js';
import { renewLeadership, type HeldTerm } from './sql/renew-leadership.js';
import type { Transaction } from './transaction.js';

export interface LeadershipOptions {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly duty: string;
  readonly log: Log;
  /** Identifies this process, and only this one. */
  readonly holder?: string;
  readonly leaseMs?: number;
  readonly renewEveryMs?: number;
  /** With it, a duty that is released is taken at once; without it, at the next look. */
  readonly bus?: Pick<SignalBus, 'publish' | 'subscribe'>;
}

/** The term in which the work began is over; nothing of it was written. */
export class LeadershipLost extends Error {
  constructor(duty: string) {
    super(`This process does not lead ${duty}`);
  }
}

interface Lease extends HeldTerm {
  /** By this process's monotonic clock; earlier than the database lets another have the duty. */
  validUntil: number;
  /** Steps down when the lease could have run out, whatever a renewal under way is waiting for. */
  timer: NodeJS.Timeout;
  /** The gap before this term was dealt with. Until then duties do not run and the alive row stands still. */
  settled: boolean;
}

type AcquiredHandler = (acquired: AcquiredTerm) => void | Promise<void>;

/** A process that ends does not wait longer for the database; the lease runs out by itself. */
const STOP_PATIENCE_MS = 1_500;

/** The rest is for what the two clocks may differ in rate, and for a timer that comes late. */
const TRUSTED_PART_OF_LEASE = 0.9;

/**
 * Who runs the singleton duties: one process at a time, for a term that the database issues and that only
 * grows. The lease is counted by the database's clock alone; this process only ever gives up earlier, by its
 * own monotonic clock, when a renewal is late.
 *
 * That is for liveness and good manners. What makes it safe is `fenced`: a process that was paused past its
 * lease still believes in itself for a moment, and the database refuses what it then tries to write. Duties
 * are therefore safe even if two run at once, as they must be.
 */
export class Leadership {
  readonly duty: string;
  readonly holder: string;
  private readonly database: Pick<Database, 'query' | 'transaction'>;
  private readonly log: Log;
  private readonly bus: Pick<SignalBus, 'publish' | 'subscribe'> | undefined;
  private readonly leaseMs: number;
  private readonly renewEveryMs: number;
  private readonly acquiredHandlers = new Set<AcquiredHandler>();
  private readonly lostHandlers = new Set<() => void>();
  private lease: Lease | undefined;
  private running: Promise<void> | undefined;
  private stopping = false;
  private troubled = false;
  private holdBackUntil = 0;
  private nudged = false;
  private wake = () => {};

  constructor(options: LeadershipOptions) {
    this.database = options.database;
    this.duty = options.duty;
    this.log = options.log;
    this.bus = options.bus;
    this.holder = options.holder ?? randomUUID();
    this.leaseMs = options.leaseMs ?? 5_000;
    this.renewEveryMs = options.renewEveryMs ?? 1_000;
  }

  /** Whether the duties may run here now. */
  get isLeader(): boolean {
    return this.lease !== undefined && this.lease.settled && isValid(this.lease);
  }

  /** The term that this process holds; it may hold one for a moment before its duties may run. */
  get term(): bigint | null {
    return this.lease && isValid(this.lease) ? this.lease.term : null;
  }

  /**
   * Called at the begin of each term, before the duties may run: what the gap did to deadlines is put right
   * here. A handler that fails ends the term, and whoever takes the next one sees the same gap.
   */
  onAcquired(handler: AcquiredHandler): () => void {
    this.acquiredHandlers.add(handler);
    return () => this.acquiredHandlers.delete(handler);
  }

  onLost(handler: () => void): () => void {
    this.lostHandlers.add(handler);
    return () => this.lostHandlers.delete(handler);
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Gives the duty up, so that another can take it at once. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    if (this.running) await within(STOP_PATIENCE_MS, this.running).catch(() => {});
    if (this.lease) this.end(this.lease);
  }

  /**
   * A transaction that commits only within the term in which it began. Throws LeadershipLost, and writes
   * nothing, if that term is over.
   */
  async fenced<T>(work: (tx: Transaction, term: bigint) => Promise<T>): Promise<T> {
    const { lease } = this;
    if (!lease || !isValid(lease)) throw new LeadershipLost(this.duty);
    return this.database.transaction(async (tx) => {
      if (!(await lockLeadership(tx, lease, { leaseMs: this.leaseMs }))) throw new LeadershipLost(this.duty);
      return work(tx, lease.term);
    });
  }

  private async run(): Promise<void> {
    const unsubscribe = this.bus?.subscribe(this.topic, () => this.lookNow());
    while (!this.stopping) {
      try {
        await (this.lease ? this.renew(this.lease) : this.acquire());
        this.troubled = false;
      } catch (error) {
        // The database may be away for long: once is enough to say so.
        if (!this.troubled) this.log.warn({ err: error, duty: this.duty }, 'Leadership is uncertain');
        this.troubled = true;
      }
      await this.pause();
    }
    unsubscribe?.();
    if (this.lease) await this.release(this.lease);
  }

  private async acquire(): Promise<void> {
    if (performance.now() < this.holdBackUntil) return;
    const { duty, holder, leaseMs } = this;
    const validUntil = this.trustedUntil();
    // Not waited for longer than a lease: a late answer is ignored, and asking again makes up for it.
    const acquired = await within(leaseMs, acquireLeadership(this.database, { duty, holder, leaseMs }));
    if (!acquired || performance.now() >= validUntil) return;
    const lease: Lease = {
      duty,
      holder,
      term: acquired.term,
      validUntil,
      timer: setTimeout(() => this.end(lease), validUntil - performance.now()).unref(),
      settled: false,
    };
    this.lease = lease;
    this.log.info(
      { duty, term: String(acquired.term), gapMs: Math.round(acquired.gapMs) },
      'Leadership acquired',
    );
    void this.settle(lease, acquired);
  }

  private async settle(lease: Lease, acquired: AcquiredTerm): Promise<void> {
    try {
      await Promise.all([...this.acquiredHandlers].map(async (handler) => handler(acquired)));
      lease.settled = true;
    } catch (error) {
      this.log.error({ err: error, duty: this.duty, term: String(lease.term) }, 'A term could not begin');
      // Let another try first.
      this.holdBackUntil = performance.now() + this.renewEveryMs;
      await this.release(lease);
    }
  }

  private async renew(lease: Lease): Promise<void> {
    const { leaseMs } = this;
    const validUntil = this.trustedUntil();
    if (!isValid(lease)) return this.end(lease);
    // A renewal that outlasts the lease is given up: over another connection a new term may be had sooner.
    const renewed = await within(
      lease.validUntil - performance.now(),
      renewLeadership(this.database, lease, { leaseMs, alive: lease.settled }),
    );
    if (this.lease !== lease) return;
    if (!renewed) return this.end(lease);
    lease.validUntil = validUntil;
    clearTimeout(lease.timer);
    lease.timer = setTimeout(() => this.end(lease), validUntil - performance.now()).unref();
  }

  /** The lease counts from before the question was asked: the database, who counts from later, ends it later. */
  private trustedUntil(): number {
    return performance.now() + this.leaseMs * TRUSTED_PART_OF_LEASE;
  }

  private end(lease: Lease): void {
    if (this.lease !== lease) return;
    this.lease = undefined;
    clearTimeout(lease.timer);
    this.log.info({ duty: this.duty, term: String(lease.term) }, 'Leadership ended');
    for (const handler of this.lostHandlers) {
      try {
        handler();
      } catch (error) {
        this.log.error({ err: error, duty: this.duty }, 'A handler of the end of a term failed');
      }
    }
  }

  /** First here, then there: nobody else begins while our duties still think that they may run. */
  private async release(lease: Lease): Promise<void> {
    this.end(lease);
    try {
      await within(STOP_PATIENCE_MS, releaseLeadership(this.database, lease, { alive: lease.settled }));
      await this.bus?.publish(this.topic);
    } catch {
      // The lease runs out by itself.
    }
  }

  /** Leaders renew; the others look twice as often, so that a lease that ran out is not left lying for long. */
  private async pause(): Promise<void> {
    const longest = this.lease ? this.renewEveryMs : this.renewEveryMs / 2;
    if (!this.stopping && !this.nudged) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, longest * (0.9 + Math.random() / 10));
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.nudged = false;
  }

  private lookNow(): void {
    this.nudged = true;
    this.wake();
  }

  private get topic(): string {
    return `leadership:${this.duty}`;
  }
}

function isValid(lease: Lease): boolean {
  return performance.now() < lease.validUntil;
}

/** What `promise` brings, unless it takes too long; then nobody waits for it any more. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${Math.round(ms)} ms`)), ms).unref();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => {});
  }
}
