import type { Handle } from '../statement.js';
import type { HeldTerm } from './renew-leadership.js';

/**
 * The fence: locks the term until the end of this transaction, or answers false because it is no longer ours.
 * A successor waits for the lock, so whatever this transaction commits, it commits within its term.
 *
 * Nobody waits for a holder that was paused or cut off in here: the server ends the session of one that is
 * silent, or busy with one statement, for half a lease.
 */
export async function lockLeadership(
  tx: Handle,
  { duty, holder, term }: HeldTerm,
  { leaseMs }: { leaseMs: number },
): Promise<boolean> {
  const rows = await tx.query({
    text: `
      SELECT set_config('idle_in_transaction_session_timeout', $4, true), set_config('statement_timeout', $4, true)
      FROM leadership
      WHERE duty = $1 AND holder = $2::uuid AND term = $3::bigint AND expires_at > clock_timestamp()
      FOR KEY SHARE`,
    values: [duty, holder, String(term), String(Math.ceil(leaseMs / 2))],
  });
  return rows.length === 1;
}
