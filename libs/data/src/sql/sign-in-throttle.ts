import type { Handle } from '../statement.js';

/** Attempts count per window; the window starts with the first one. */
const WINDOW_SECONDS = 60;

export interface Bucket {
  readonly bucket: string;
  readonly limit: number;
}

/**
 * Counts an attempt before anybody knows whether it will succeed, so that many at once cannot slip past a count
 * that each of them still has to make. Answers the seconds until a bucket over its limit is free again; 0 if the
 * attempt may go on.
 */
export async function countAttempt(handle: Handle, buckets: readonly Bucket[]): Promise<number> {
  const [row] = await handle.query<{ seconds: number }>({
    name: 'count_sign_in_attempt',
    // Sorted, so that two sign-ins never wait for each other's rows crosswise.
    text: `
      WITH counted AS (
        INSERT INTO sign_in_throttles AS t (bucket, failures, window_ends_at)
        SELECT bucket, 1, now() + interval '${WINDOW_SECONDS} seconds' FROM unnest($1::text[]) AS bucket ORDER BY bucket
        ON CONFLICT (bucket) DO UPDATE SET
          failures = CASE WHEN t.window_ends_at > now() THEN t.failures + 1 ELSE 1 END,
          window_ends_at = CASE WHEN t.window_ends_at > now() THEN t.window_ends_at ELSE excluded.window_ends_at END
        RETURNING bucket, failures, window_ends_at
      )
      SELECT coalesce(max(ceil(extract(epoch FROM c.window_ends_at - now()))), 0)::int AS seconds
      FROM unnest($1::text[], $2::int[]) AS b(bucket, most)
      JOIN counted c ON c.bucket = b.bucket AND c.failures > b.most`,
    values: [buckets.map(({ bucket }) => bucket), buckets.map(({ limit }) => limit)],
  });
  return row!.seconds;
}

/** The attempt succeeded: it was none to count. */
export async function forgiveAttempt(handle: Handle, buckets: readonly Bucket[]): Promise<void> {
  await handle.query({
    name: 'forgive_sign_in_attempt',
    text: `
      UPDATE sign_in_throttles SET failures = failures - 1
      WHERE bucket IN (SELECT bucket FROM sign_in_throttles WHERE bucket = ANY($1::text[]) AND failures > 0 ORDER BY bucket FOR UPDATE)`,
    values: [buckets.map(({ bucket }) => bucket)],
  });
}
