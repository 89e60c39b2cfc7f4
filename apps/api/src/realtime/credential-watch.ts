import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@muster/data/database';
import { SignalBus } from '@muster/data/signal-bus';
import type { Logger } from 'pino';
import type { Caller } from '../auth/caller.js';
import { Credentials } from '../auth/credentials.js';
import { LOG } from '../runtime.js';
import type { ClientSocket } from './client-socket.js';
import { remainingTime } from '@muster/data/sql/remaining-time';
import { CREDENTIALS_CHANGED } from './topics.js';

/** What a connection rests on. Kept apart from `socket.data`, which others may log or send on. */
interface Proof {
  readonly token: string;
  /** Null: it does not expire. */
  readonly remainingMs: number | null;
  /** How many changes had been heard of before the token was looked up. */
  readonly asOf: number;
}

/** After a gap all sockets are doubtful at once; the database is asked about so many at a time. */
const BATCH = 50;
const RETRY_MS = 1_000;
/** Timers cannot be set much further than three weeks ahead. */
const LONGEST_TIMER_MS = 86_400_000;

/**
 * Ends connections whose credential has expired or been revoked. Signals only raise doubts; whether a
 * credential still holds stands in its row, and a row that cannot be read ends nothing.
 */
@Injectable()
export class CredentialWatch {
  private readonly proofs = new WeakMap<ClientSocket, Proof>();
  private readonly expiries = new Map<ClientSocket, NodeJS.Timeout | null>();
  private readonly doubtful = new Set<ClientSocket>();
  private isChecking = false;
  private changes = 0;

  constructor(
    private readonly database: Database,
    private readonly credentials: Credentials,
    bus: SignalBus,
    @Inject(LOG) private readonly log: Logger,
  ) {
    // Credentials was made before us and so hears of it first: it has forgotten what it knew when we ask.
    bus.subscribe(CREDENTIALS_CHANGED, (change) => this.onChange((caller) => concerns(change, caller)));
    bus.onGap(() => this.onChange(() => true));
  }

  /** Whom the token proves the socket to be, or null. */
  async identify(socket: ClientSocket, token: string): Promise<Caller | null> {
    const asOf = this.changes;
    const caller = await this.credentials.identify(token);
    if (!caller) return null;
    const remainingMs = caller.expiresAt && (await remainingTime(this.database, caller.expiresAt));
    this.proofs.set(socket, { token, remainingMs, asOf });
    return caller;
  }

  /** From here on the connection lasts as long as its credential, until `end`. */
  begin(socket: ClientSocket): void {
    const { remainingMs, asOf } = this.proofs.get(socket)!;
    this.expiries.set(socket, null);
    if (remainingMs !== null) this.endAfter(socket, remainingMs);
    // A change that was signalled while the handshake went on may have been about this very token.
    if (asOf !== this.changes) this.doubt(socket);
  }

  end(socket: ClientSocket): void {
    clearTimeout(this.expiries.get(socket) ?? undefined);
    this.expiries.delete(socket);
    this.doubtful.delete(socket);
  }

  private onChange(isConcerned: (caller: Caller) => boolean): void {
    this.changes++;
    for (const socket of this.expiries.keys()) if (isConcerned(socket.data.caller)) this.doubt(socket);
  }

  private doubt(socket: ClientSocket): void {
    this.doubtful.add(socket);
    if (!this.isChecking) void this.check();
  }

  private async check(): Promise<void> {
    this.isChecking = true;
    while (this.doubtful.size > 0) {
      const batch = [...this.doubtful].slice(0, BATCH);
      for (const socket of batch) this.doubtful.delete(socket);
      const settled = await Promise.allSettled(batch.map((socket) => this.settle(socket)));
      const failure = settled.find((outcome) => outcome.status === 'rejected');
      if (!failure) continue;
      this.log.warn(
        { err: failure.reason },
        'whether connections may go on cannot be found out; asking again',
      );
      await delay(RETRY_MS, undefined, { ref: false });
    }
    this.isChecking = false;
  }

  /** Rejects if it could not be found out: then the doubt remains. */
  private async settle(socket: ClientSocket): Promise<void> {
    try {
      const caller = await this.credentials.identify(this.proofs.get(socket)!.token);
      if (caller?.role !== socket.data.caller.role) socket.disconnect(true);
    } catch (error) {
      if (this.expiries.has(socket)) this.doubtful.add(socket);
      throw error;
    }
  }

  private endAfter(socket: ClientSocket, remainingMs: number): void {
    const wait = Math.min(remainingMs, LONGEST_TIMER_MS);
    const timer = setTimeout(() => {
      if (wait < remainingMs) this.endAfter(socket, remainingMs - wait);
      else void this.expire(socket);
    }, wait);
    this.expiries.set(socket, timer.unref());
  }

  /** Our timer may run fast, so the database has the last word; if it is away, ours is good enough. */
  private async expire(socket: ClientSocket): Promise<void> {
    const remainingMs = await remainingTime(this.database, socket.data.caller.expiresAt!).catch(() => 0);
    if (!this.expiries.has(socket)) return;
    if (remainingMs > 0) this.endAfter(socket, remainingMs);
    else socket.disconnect(true);
  }
}

/** A payload of another shape is none of ours, or newer than we are: then everybody is concerned. */
function concerns(change: unknown, { accountId, sessionId }: Caller): boolean {
  const { sessionId: session, userId, apiKeyId } = Object(change) as Record<string, unknown>;
  if (session !== undefined) return session === sessionId;
  const account = userId ?? apiKeyId;
  return account === undefined || account === accountId;
}
