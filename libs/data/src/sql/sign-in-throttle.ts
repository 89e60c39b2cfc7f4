import type { Handle } from '../statement.js';

/** Failures count per window; the window starts with the first one. */
const WINDOW_SECONDS = 60;

/** Seconds until the buckets that have reached their limit are free again; 0 if none has. */
export async function blockedSeconds(
  handle: Handle,
  buckets: ReadonlyArray<{ readonly bucket: string; readonly limit: number }>,
): Promise<number> {
  const [row] = await handle.query<{ seconds: number }>({
    name: 'sign_in_blocked_seconds',
    text: `
      SELECT coalesce(max(ceil(extract(epoch FROM t.window_ends_at - now()))), 0)::int AS seconds
      FROM unnest($1::text[], $2::int[]) AS b(bucket, most)
      JOIN sign_in_throttles t ON t.bucket = b.bucket AND t.failures >= b.most AND t.window_ends_at > now()`,
    values: [buckets.map(({ bucket }) => bucket), buckets.map(({ limit }) => limit)],
  });
  return row!.seconds;
}

export async function countFailure(handle: Handle, buckets: readonly string[]): Promise<void> {
  await handle.query({
    name: 'count_sign_in_failure',
    // Sorted, so that two sign-ins never wait for each other's rows crosswise.
    text: `
      INSERT INTO sign_in_throttles AS t (bucket, failures, window_ends_at)
      SELECT bucket, 1, now() + interval '${WINDOW_SECONDS} seconds' FROM unnest($1::text[]) AS bucket ORDER BY bucket
      ON CONFLICT (bucket) DO UPDATE SET
        failures = CASE WHEN t.window_ends_at > now() THEN t.failures + 1 ELSE 1 END,
        window_ends_at = CASE WHEN t.window_ends_at > now() THEN t.window_ends_at ELSE excluded.window_ends_at END`,
    values: [[...buckets]],
  });
}
