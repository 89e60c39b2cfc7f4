import type { Handle } from '../statement.js';
import { deleteBatch } from './delete-batch.js';

/** Removes counts of failed sign-ins whose window is over, at most `limit` of them; tells how many. */
export function deleteExpiredSignInThrottles(handle: Handle, limit: number): Promise<number> {
  return deleteBatch(handle, { table: 'sign_in_throttles', condition: 'window_ends_at < now()', limit });
}
