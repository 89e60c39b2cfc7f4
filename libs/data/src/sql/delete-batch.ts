import type { Handle } from '../statement.js';

/**
 * Deletes at most `limit` rows and gets in nobody's way: rows that somebody is working with are left for the
 * next time. The rows are named by ctid in an array, which makes the DELETE go straight to them; joined to a
 * subquery instead, the planner may read the whole table to find them again.
 */
export async function deleteBatch(
  handle: Handle,
  { table, condition, limit }: { table: string; condition: string; limit: number },
): Promise<number> {
  const [row] = await handle.query<{ deleted: number }>({
    text: `
      WITH gone AS (
        DELETE FROM ${table}
        WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT $1 FOR UPDATE SKIP LOCKED))
        RETURNING 1
      )
      SELECT count(*)::int AS deleted FROM gone`,
    values: [limit],
  });
  return row!.deleted;
}
