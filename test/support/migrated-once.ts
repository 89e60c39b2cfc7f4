import { expect } from '@jest/globals';
import type { TestDatabase } from './database.js';

/** Each migration is recorded once, as finished; attempts that were rolled back are recorded as such. */
export async function expectMigratedOnce(database: Pick<TestDatabase, 'query'>): Promise<void> {
  const rows = await database.query(
    `SELECT migration_name, count(*)::int AS times, bool_and(finished_at IS NOT NULL) AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL GROUP BY migration_name`,
  );
  expect(rows.length).toBeGreaterThan(2);
  for (const row of rows) expect(row).toMatchObject({ times: 1, finished: true });
}
