import pg from 'pg';
import type { TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';

/**
 * Holds what `lock` locks until each of the calls waits for a lock, then lets them go: they are under way at
 * the same time, however slow or fast the machine is.
 */
export async function raceFor<Answer>(
  database: TestDatabase,
  lock: string,
  calls: () => Promise<Answer>[],
): Promise<Answer[]> {
  const holder = new pg.Client({ connectionString: database.url, application_name: 'test' });
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(lock);
    const underWay = calls();
    await eventually(
      () => waiting(database),
      (count) => count >= underWay.length,
    );
    await holder.query('COMMIT');
    return await Promise.all(underWay);
  } finally {
    await holder.end();
  }
}

async function waiting(database: TestDatabase): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `SELECT count(*)::int FROM pg_stat_activity
     WHERE wait_event_type = 'Lock' AND application_name = 'muster-api' AND datname = current_database()`,
  );
  return row!.count;
}
