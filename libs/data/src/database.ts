import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaPg } from '@prisma/adapter-pg';
import pg, { type ClientConfig } from 'pg';
import { Breaker } from './breaker.js';
import { applicationConnection } from './connection.js';
import {
  DatabaseUnavailable,
  isConflict,
  isUnavailable,
  isWaitForConnection,
  Overloaded,
  sqlStateOf,
} from './errors.js';
import { PrismaClient } from './generated/prisma/client.js';
import { giveUp, Pool } from './pool.js';
import { insertEvents, type NewEvent } from './sql/insert-events.js';
import type { Handle, Statement } from './statement.js';
import { Transaction } from './transaction.js';

export interface DatabaseOptions {
  readonly url: string;
  /** Shows in pg_stat_activity. */
  readonly name: string;
  readonly maxConnections?: number;
  readonly statementTimeoutMs?: number;
  /** Events were committed: wake whoever shows them. */
  readonly onEvents?: () => void;
  /** A side effect of something committed failed. */
  readonly onEffectFailure?: (error: unknown) => void;
  readonly onAvailability?: (state: 'open' | 'closed', openForMs: number) => void;
}

const CONFLICT_RETRIES = 3;

/** Set while a transaction is open, so that nobody goes around it by accident. */
const insideTransaction = new AsyncLocalStorage<true>();

/**
 * One process's way to PostgreSQL: a pool for single statements and transactions, behind a breaker. Whatever
 * goes wrong with the database itself surfaces as DatabaseUnavailable; the process lives on and reconnects.
 */
export class Database implements Handle {
  readonly connection: ClientConfig;
  readonly breaker: Breaker;
  private readonly pool: Pool;
  private readonly client: PrismaClient;
  private readonly onEvents: () => void;
  private readonly onEffectFailure: (error: unknown) => void;

  constructor(options: DatabaseOptions) {
    this.connection = applicationConnection(options.url, options.name, options.statementTimeoutMs);
    this.pool = new Pool(this.connection, options.maxConnections ?? 10);
    // An idle connection that breaks must not take the process with it.
    this.pool.on('error', () => this.breaker.suspect());
    this.client = new PrismaClient({ adapter: new PrismaPg(this.pool) });
    this.breaker = new Breaker(
      () => this.probe(),
      (state, openForMs) => {
        if (state === 'open') this.pool.dropIdle();
        options.onAvailability?.(state, openForMs);
      },
    );
    this.onEvents = options.onEvents ?? (() => {});
    this.onEffectFailure = options.onEffectFailure ?? (() => {});
  }

  /** For reads that need no transaction. */
  get prisma(): PrismaClient {
    this.refuseInsideTransaction();
    if (this.breaker.isOpen) throw new DatabaseUnavailable();
    return this.client;
  }

  /** One statement that is its own transaction. */
  async query<Row>(statement: Statement): Promise<Row[]> {
    this.refuseInsideTransaction();
    return this.guard(async () => {
      const client = await this.borrow();
      let broken = false;
      try {
        const result = await client.query<Row & pg.QueryResultRow>({
          ...statement,
          values: statement.values as unknown[],
        });
        return result.rows;
      } catch (error) {
        // A refused statement leaves the connection as good as it was; only a broken one is thrown away.
        broken = isUnavailable(error);
        throw error;
      } finally {
        client.release(broken);
      }
    });
  }

  /** Events outside any transaction: a sign-in that failed, a caller who was turned away. */
  async record(...events: NewEvent[]): Promise<void> {
    await insertEvents(this, events);
    this.onEvents();
  }

  /**
   * Runs `work` in one transaction and commits it. A conflict with another transaction runs it again, so
   * `work` must do nothing but what its handle does; side effects go to `tx.afterCommit`.
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.refuseInsideTransaction();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(work);
      } catch (error) {
        if (attempt > CONFLICT_RETRIES || !isConflict(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
      }
    }
  }

  async ping(): Promise<void> {
    await this.query({ text: 'SELECT 1' });
  }

  async close(): Promise<void> {
    this.breaker.close();
    await this.client.$disconnect();
    await this.pool.close();
  }

  private async attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { result, tx } = await this.guard(() =>
      this.client.$transaction(
        async (prisma) => {
          const tx = new Transaction(prisma);
          const result = await insideTransaction.run(true, () => work(tx));
          await tx.flush();
          return { result, tx };
        },
        { maxWait: 2_000, timeout: 15_000 },
      ),
    );
    // What is committed stays committed, whatever becomes of its side effects.
    for (const effect of [...tx.effects, ...(tx.recordedEvents ? [this.onEvents] : [])]) {
      try {
        effect();
      } catch (error) {
        this.onEffectFailure(error);
      }
    }
    return result;
  }

  /** Whatever keeps us from a connection is the database's state, never the statement's fault. */
  private async borrow(): Promise<pg.PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      throw isWaitForConnection(error) ? error : new DatabaseUnavailable({ cause: error });
    }
  }

  private async guard<T>(work: () => Promise<T>): Promise<T> {
    if (this.breaker.isOpen) throw new DatabaseUnavailable();
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      // All connections are lent out. If the database answers, it is we who are busy.
      if (isWaitForConnection(error) && (await this.breaker.answers())) throw new Overloaded('the database');
      this.breaker.suspect();
      throw new DatabaseUnavailable({ cause: error });
    }
  }

  private async probe(): Promise<void> {
    const client = new pg.Client({
      ...this.connection,
      query_timeout: 1_000,
      connectionTimeoutMillis: 1_000,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('SELECT 1');
    } catch (error) {
      // It has no connection left for us, but it is there: those that we have are worth all the more.
      if (sqlStateOf(error) !== '53300') throw error;
    } finally {
      // Not awaited: a connection that goes silent now must not be the end of all probing.
      giveUp(client);
    }
  }

  private refuseInsideTransaction(): void {
    if (insideTransaction.getStore()) {
      throw new Error('A transaction is open here: its handle is the only one to use');
    }
  }
}
