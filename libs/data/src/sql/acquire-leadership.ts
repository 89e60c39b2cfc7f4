import type { Handle } from '../statement.js';

export interface AcquiredTerm {
  readonly term: bigint;
  /** The predecessor's last sign of life; none for the first term ever. */
  readonly previouslyRenewedAt: Date | null;
  /** How long nobody was alive, by the database's clock. */
  readonly gapMs: number;
}

/**
 * Takes the duty if it is free. It is free when the lease has run out, and also when
 * - the lease ends later than any lease could: the database's clock was set back, and a holder who has died
 *   since would otherwise keep the duty for as long;
 * - we hold it ourselves and asking again says that we do not know it: the answer to us was lost.
 *
 * A follower asks often, so as long as the duty is held nothing is locked or written: the row is locked only
 * if it looks free, and looked at again once locked. The lock is FOR UPDATE, which waits for the KEY SHARE of
 * the holder's fenced transactions: none of them commits after the next term has begun.
 *
 * `renewed_at` stays what it was. The first renewal moves it, after the gap before this term was dealt with;
 * should we not live to do that, our successor still sees it.
 */
export async function acquireLeadership(
  handle: Handle,
  { duty, holder, leaseMs }: { duty: string; holder: string; leaseMs: number },
): Promise<AcquiredTerm | null> {
  const [row] = await handle.query<{ term: string; renewed_at: Date; gap_ms: number }>({
    name: 'acquire_leadership',
    text: `
      WITH free AS (
        SELECT duty FROM leadership
        WHERE duty = $1
          AND (expires_at <= clock_timestamp()
            OR expires_at > clock_timestamp() + 2 * $3::float8 * interval '1 millisecond'
            OR holder = $2::uuid)
        FOR UPDATE
      ), next AS (
        UPDATE leadership AS held
        SET term = held.term + 1, holder = $2::uuid, acquired_at = clock_timestamp(),
            expires_at = clock_timestamp() + $3::float8 * interval '1 millisecond'
        FROM free WHERE held.duty = free.duty
        RETURNING held.term, held.renewed_at, held.acquired_at
      ), first AS (
        INSERT INTO leadership (duty, term, holder, acquired_at, renewed_at, expires_at)
        SELECT $1, 1, $2::uuid, now.at, now.at, now.at + $3::float8 * interval '1 millisecond'
        FROM (SELECT clock_timestamp() AS at) AS now
        WHERE NOT EXISTS (SELECT FROM leadership WHERE duty = $1)
        ON CONFLICT (duty) DO NOTHING
        RETURNING term, renewed_at, acquired_at
      )
      SELECT term::text, renewed_at, extract(epoch FROM acquired_at - renewed_at)::float8 * 1000 AS gap_ms
      FROM (SELECT * FROM next UNION ALL SELECT * FROM first) AS acquired`,
    values: [duty, holder, leaseMs],
  });
  if (!row) return null;
  const term = BigInt(row.term);
  return { term, previouslyRenewedAt: term === 1n ? null : row.renewed_at, gapMs: Math.max(0, row.gap_ms) };
}
