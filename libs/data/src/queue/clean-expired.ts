import type { Handle } from '../statement.js';
import { deleteExpiredIdempotencyKeys } from '../sql/delete-expired-idempotency-keys.js';
import { deleteExpiredSessions } from '../sql/delete-expired-sessions.js';
import { deleteExpiredSignInThrottles } from '../sql/delete-expired-sign-in-throttles.js';

/** Small enough that one statement takes milliseconds, and the next commit of anybody else waits no longer. */
const BATCH = 1_000;

/** Removes what has expired. Running twice, or breaking off half-way, does no harm: the rows say what is due. */
export async function cleanExpired(handle: Handle, signal?: AbortSignal): Promise<void> {
  for (const deleteExpired of [
    deleteExpiredIdempotencyKeys,
    deleteExpiredSessions,
    deleteExpiredSignInThrottles,
  ]) {
    while (!signal?.aborted && (await deleteExpired(handle, BATCH)) === BATCH);
  }
}
