import type { Handle } from '../statement.js';
import type { HeldTerm } from './renew-leadership.js';

/** Ends the lease now, so that another need not wait for it to run out. Whoever no longer holds it ends nothing. */
export async function releaseLeadership(
  handle: Handle,
  { duty, holder, term }: HeldTerm,
  { alive }: { alive: boolean },
): Promise<void> {
  await handle.query({
    name: 'release_leadership',
    text: `
      UPDATE leadership
      SET expires_at = clock_timestamp(),
          renewed_at = CASE WHEN $4::boolean THEN clock_timestamp() ELSE renewed_at END
      WHERE duty = $1 AND holder = $2::uuid AND term = $3::bigint AND expires_at > clock_timestamp()`,
    values: [duty, holder, String(term), alive],
  });
}
