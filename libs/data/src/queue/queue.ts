import { setTimeout as delay } from 'node:timers/promises';
import { fromPrisma, PgBoss, type SendOptions, type Warning } from 'pg-boss';
import type { Database } from '../database.js';
import { isUnavailable } from '../errors.js';
import type { Log } from '../log.js';
import type { Transaction } from '../transaction.js';
import { QUEUE_SCHEMA, type QueueName, type QueuePayloads } from './queues.js';

export interface QueueOptions {
  readonly database: Pick<Database, 'connection'>;
  readonly log: Log;
  readonly maxConnections?: number;
}

/**
 * `signal` aborts when the job took too long or the process ends; whatever is left then, a later wake-up
 * finds. It may run twice, at the same time as itself or not at all.
 */
export type Handler<Name extends QueueName> = (
  payload: QueuePayloads[Name],
  signal: AbortSignal,
) => Promise<void>;

const FIRST_BACK_OFF_MS = 100;
const LONGEST_BACK_OFF_MS = 2_000;
const SAY_AGAIN_AFTER_MS = 30_000;

/**
 * pg-boss, for wake-ups: cron and "look at this row then". A job may be lost, doubled or late, and pg-boss
 * settles by id and not by attempt, so a handler only looks into our tables and does what is due there, by
 * conditional statements. It must be idempotent, and nothing may depend on its being called.
 *
 * It has a small pool of its own, in the application's role; the schema and the queues are the migrator's
 * work. When the database goes away this says so, waits and goes on: no error of pg-boss ends the process.
 */
export class Queue {
  private readonly database: Pick<Database, 'connection'>;
  private readonly log: Log;
  private readonly maxConnections: number;
  private readonly handlers = new Map<QueueName, Handler<QueueName>>();
  private readonly stopping = new AbortController();
  private boss: PgBoss | undefined;
  private starting: Promise<void> | undefined;
  private saidUnavailableAt = -Infinity;

  constructor(options: QueueOptions) {
    this.database = options.database;
    this.log = options.log;
    this.maxConnections = options.maxConnections ?? 3;
  }

  /** Resolves when the queue runs, however long the database is away before, or when it was stopped. */
  start(): Promise<void> {
    this.starting ??= this.startUntilItWorks();
    return this.starting;
  }

  /** Lets running handlers finish, for at most the given time; then aborts them and closes the connections. */
  async stop({ timeoutMs = 3_000 }: { timeoutMs?: number } = {}): Promise<void> {
    this.stopping.abort();
    // pg-boss itself would wait without an end for a database that does not answer.
    await Promise.race([this.endStarted(timeoutMs), delay(timeoutMs + 1_000, undefined, { ref: false })]);
  }

  /**
   * Queues a wake-up with the caller's transaction: committed and rolled back with it. Answers the job's id, or
   * null when the queue's policy finds that one is enough. While the queue itself has not started, the wake-up
   * is one of those that are lost.
   */
  async send<Name extends QueueName>(
    tx: Pick<Transaction, 'prisma'>,
    name: Name,
    payload: QueuePayloads[Name],
    options: Omit<SendOptions, 'db'> = {},
  ): Promise<string | null> {
    if (!this.boss) return null;
    return this.boss.send(name, payload, { ...options, db: fromPrisma(tx.prisma) });
  }

  /** Has `handler` called for each job of the queue, one at a time in this process. */
  async work<Name extends QueueName>(name: Name, handler: Handler<Name>): Promise<void> {
    this.handlers.set(name, handler as Handler<QueueName>);
    if (this.boss) await this.attach(this.boss, name, handler as Handler<QueueName>);
  }

  private async startUntilItWorks(): Promise<void> {
    for (let failures = 0; !this.stopping.signal.aborted; failures++) {
      const boss = this.createBoss();
      try {
        await this.startOnce(boss);
        this.boss = boss;
        return;
      } catch (error) {
        this.complain(error);
        void this.end(boss, 0);
        const longest = Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** failures);
        const jittered = longest * (0.5 + Math.random() / 2);
        await delay(jittered, undefined, { signal: this.stopping.signal }).catch(() => {});
      }
    }
  }

  private createBoss(): PgBoss {
    const boss = new PgBoss({
      ...this.database.connection,
      application_name: `${this.database.connection.application_name ?? 'muster'} queue`,
      schema: QUEUE_SCHEMA,
      max: this.maxConnections,
      migrate: false,
      createSchema: false,
      // Rebuilding an index is for its owner, which we are not.
      reindex: false,
      useListenNotify: true,
      notifyHeartbeatIntervalMs: 5_000,
      notifyHeartbeatTimeoutMs: 2_000,
    });
    boss.on('error', (error) => this.complain(error));
    boss.on('warning', ({ message, data }) => this.log.warn({ data }, `Queue: ${message}`));
    return boss;
  }

  private async startOnce(boss: PgBoss): Promise<void> {
    let deaf: Warning | undefined;
    const notice = (warning: Warning) => {
      if ((warning.data as { type?: string }).type === 'listen_notify_unavailable') deaf = warning;
    };
    boss.on('warning', notice);
    await boss.start();
    boss.off('warning', notice);
    // It would poll from now on and never try to listen again.
    if (deaf) throw new Error(deaf.message);
    for (const [name, handler] of this.handlers) await this.attach(boss, name, handler);
  }

  private async attach(boss: PgBoss, name: QueueName, handler: Handler<QueueName>): Promise<void> {
    const options = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 10 };
    await boss.work<QueuePayloads[QueueName]>(name, options, async ([job]) => {
      try {
        await handler(job!.data, job!.signal);
      } catch (error) {
        this.log.error({ err: error, queue: name, jobId: job!.id }, 'A handler of the queue failed');
        throw error;
      }
    });
  }

  private async endStarted(timeoutMs: number): Promise<void> {
    await this.starting;
    const { boss } = this;
    this.boss = undefined;
    if (boss) await this.end(boss, timeoutMs);
  }

  private async end(boss: PgBoss, timeoutMs: number): Promise<void> {
    try {
      await boss.stop({ graceful: timeoutMs > 0, timeout: timeoutMs });
    } catch (error) {
      this.complain(error);
    }
  }

  private complain(error: unknown): void {
    if (!isUnavailable(error)) return this.log.error({ err: error }, 'The queue met an error');
    // Each of its timers says so again and again while the database is away.
    if (performance.now() - this.saidUnavailableAt < SAY_AGAIN_AFTER_MS) return;
    this.saidUnavailableAt = performance.now();
    this.log.warn({ err: error }, 'The queue waits for the database');
  }
}
