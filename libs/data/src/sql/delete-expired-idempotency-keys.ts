import type { Handle } from '../statement.js';
import { deleteBatch } from './delete-batch.js';

/** Removes answers whose time is over, at most `limit` of them; tells how many. */
export function deleteExpiredIdempotencyKeys(handle: Handle, limit: number): Promise<number> {
  return deleteBatch(handle, { table: 'idempotency_keys', condition: 'expires_at < now()', limit });
}
