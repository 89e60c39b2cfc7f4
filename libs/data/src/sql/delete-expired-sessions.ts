import type { Handle } from '../statement.js';
import { deleteBatch } from './delete-batch.js';

/** Removes sign-ins that ended or expired more than a week ago, at most `limit` of them; tells how many. */
export function deleteExpiredSessions(handle: Handle, limit: number): Promise<number> {
  return deleteBatch(handle, {
    table: 'sessions',
    condition: `expires_at < now() - interval '7 days' OR ended_at < now() - interval '7 days'`,
    limit,
  });
}
