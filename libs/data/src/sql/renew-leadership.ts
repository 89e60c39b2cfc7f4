import type { Handle } from '../statement.js';

export interface HeldTerm {
  readonly duty: string;
  readonly holder: string;
  readonly term: bigint;
}

/**
 * Extends the lease of a term that is still ours; false if it is not. With `alive` it also stamps the sign of
 * life by which a successor measures how long nobody was there.
 *
 * No key column changes, so this takes the row lock that does not wait for our own fenced transactions.
 */
export async function renewLeadership(
  handle: Handle,
  { duty, holder, term }: HeldTerm,
  { leaseMs, alive }: { leaseMs: number; alive: boolean },
): Promise<boolean> {
  const rows = await handle.query({
    name: 'renew_leadership',
    text: `
      UPDATE leadership
      SET expires_at = clock_timestamp() + $4::float8 * interval '1 millisecond',
          renewed_at = CASE WHEN $5::boolean THEN clock_timestamp() ELSE renewed_at END
      WHERE duty = $1 AND holder = $2::uuid AND term = $3::bigint AND expires_at > clock_timestamp()
      RETURNING duty`,
    values: [duty, holder, String(term), leaseMs, alive],
  });
  return rows.length === 1;
}
