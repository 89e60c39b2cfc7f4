import type { Handle } from '../statement.js';

/** Milliseconds until a time by the database's clock, the only one that counts; ours may be wrong. */
export async function remainingTime(handle: Handle, until: Date): Promise<number> {
  const [row] = await handle.query<{ remaining_ms: number }>({
    name: 'remaining_time',
    text: `SELECT (extract(epoch FROM $1::timestamptz - clock_timestamp()) * 1000)::float8 AS remaining_ms`,
    values: [until.toISOString()],
  });
  return row!.remaining_ms;
}
