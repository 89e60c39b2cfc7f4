import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '@muster/data/database';
import { useApiKey } from '@muster/data/repositories/api-keys.repository';
import { findLiveSession } from '@muster/data/repositories/sessions.repository';
import { SignalBus } from '@muster/data/signal-bus';
import type { Transaction } from '@muster/data/transaction';
import { isUUID } from 'class-validator';
import type { Caller } from './caller.js';
import { CREDENTIALS_CHANGED } from '../realtime/topics.js';
import { Tokens } from './tokens.js';

export const API_KEY_PREFIX = 'mst_';

const REMEMBER_MS = 30_000;
const REMEMBER_MOST = 10_000;

/**
 * Turns a bearer token into the caller that it proves. The row decides; what was found is remembered for a
 * short while, but only as long as the signal bus would tell us of a change.
 */
@Injectable()
export class Credentials {
  private readonly remembered = new LRUCache<string, Caller>({ max: REMEMBER_MOST });
  /** Counts changes: what was looked up before one must not be remembered after it. */
  private changes = 0;

  constructor(
    private readonly database: Database,
    private readonly bus: SignalBus,
    private readonly tokens: Tokens,
  ) {
    bus.subscribe(CREDENTIALS_CHANGED, () => this.forget());
    bus.onGap(() => this.forget());
  }

  async identify(token: string): Promise<Caller | null> {
    const known = this.bus.connected ? this.remembered.get(token) : undefined;
    if (known) return known;
    const changes = this.changes;
    const found = token.startsWith(API_KEY_PREFIX) ? await this.byApiKey(token) : await this.bySession(token);
    if (found && this.bus.connected && changes === this.changes) {
      this.remembered.set(token, found.caller, { ttl: Math.min(REMEMBER_MS, found.remainingMs) });
    }
    return found?.caller ?? null;
  }

  /**
   * A credential loses its worth with this transaction. When it is committed this process knows, and the others
   * are being told: the signal is part of the commit, so it cannot be forgotten in between.
   */
  async announce(
    tx: Transaction,
    change: { sessionId: string } | { userId: string } | { apiKeyId: string },
  ): Promise<void> {
    await this.bus.publishWithin(tx, CREDENTIALS_CHANGED, change);
    tx.afterCommit(() => this.forget());
  }

  private forget(): void {
    this.changes++;
    this.remembered.clear();
  }

  private async byApiKey(key: string): Promise<{ caller: Caller; remainingMs: number } | null> {
    const found = await useApiKey(this.database, hashApiKey(key));
    if (!found) return null;
    const { apiKeyId: accountId, name, role, expiresAt, remainingMs } = found;
    return {
      caller: { kind: 'api-key', accountId, name, role, expiresAt, sessionId: null },
      remainingMs: Math.max(1, remainingMs ?? REMEMBER_MS),
    };
  }

  private async bySession(token: string): Promise<{ caller: Caller; remainingMs: number } | null> {
    const sessionId = await this.tokens.sessionOf(token);
    const session = sessionId && isUUID(sessionId) ? await findLiveSession(this.database, sessionId) : null;
    if (!session) return null;
    const { userId: accountId, username: name, role, expiresAt } = session;
    return {
      caller: { kind: 'user', accountId, name, role, expiresAt, sessionId },
      remainingMs: Math.max(1, session.remainingMs),
    };
  }
}

export function hashApiKey(key: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(key).digest());
}
