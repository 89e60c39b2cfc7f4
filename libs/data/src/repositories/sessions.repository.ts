import type { Role } from '@muster/domain/roles';
import type { Handle } from '../statement.js';
import type { Transaction } from '../transaction.js';

export interface LiveSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly username: string;
  readonly role: Role;
  readonly expiresAt: Date;
  /** By the database's clock, which is the only one that counts. */
  readonly remainingMs: number;
}

export async function createSession(
  tx: Transaction,
  userId: string,
  ttlSeconds: number,
): Promise<{ sessionId: string; createdAt: Date; expiresAt: Date }> {
  const [session] = await tx.query<{ session_id: string; created_at: Date; expires_at: Date }>({
    text: `
      INSERT INTO sessions (user_id, expires_at) VALUES ($1::uuid, now() + $2::int * interval '1 second')
      RETURNING session_id::text, created_at, expires_at`,
    values: [userId, ttlSeconds],
  });
  return { sessionId: session!.session_id, createdAt: session!.created_at, expiresAt: session!.expires_at };
}

/** Null unless the session is live and its user may still sign in. */
export async function findLiveSession(handle: Handle, sessionId: string): Promise<LiveSession | null> {
  const [row] = await handle.query<{
    session_id: string;
    user_id: string;
    username: string;
    role: Role;
    expires_at: Date;
    remaining_ms: number;
  }>({
    name: 'find_live_session',
    text: `
      SELECT s.session_id::text, u.user_id::text, u.username, u.role::text, s.expires_at,
             (extract(epoch FROM s.expires_at - now()) * 1000)::float8 AS remaining_ms
      FROM sessions s JOIN users u USING (user_id)
      WHERE s.session_id = $1::uuid AND s.ended_at IS NULL AND s.expires_at > now() AND u.disabled_at IS NULL`,
    values: [sessionId],
  });
  return row
    ? {
        sessionId: row.session_id,
        userId: row.user_id,
        username: row.username,
        role: row.role,
        expiresAt: row.expires_at,
        remainingMs: row.remaining_ms,
      }
    : null;
}

export async function endSession(tx: Transaction, sessionId: string): Promise<void> {
  await tx.query({
    text: 'UPDATE sessions SET ended_at = now() WHERE session_id = $1::uuid AND ended_at IS NULL',
    values: [sessionId],
  });
}

export async function endSessionsOfUser(tx: Transaction, userId: string): Promise<void> {
  await tx.query({
    text: 'UPDATE sessions SET ended_at = now() WHERE user_id = $1::uuid AND ended_at IS NULL',
    values: [userId],
  });
}
