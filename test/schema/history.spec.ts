import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** What a person at a psql prompt sees. */
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function createTask(): Promise<string> {
  const [row] = await database.query<{ task_id: string }>(`
    WITH calculation AS (INSERT INTO schedule_calculations DEFAULT VALUES RETURNING schedule_id)
    INSERT INTO tasks (schedule_id, task_type) SELECT schedule_id, 'start_calculation' FROM calculation RETURNING task_id`);
  return row!.task_id;
}

it('an illegal change of status fails', async () => {
  const id = await createTask();
  await expect(
    database.query(`UPDATE tasks SET status = 'completed' WHERE task_id = $1`, [id]),
  ).rejects.toThrow('a task cannot go from queued to completed');
});

it('a legal one leaves exactly one history row and the timestamp that it implies', async () => {
  const id = await createTask();
  await database.query(`UPDATE tasks SET status = 'pending', status_reason = 'placed' WHERE task_id = $1`, [
    id,
  ]);
  await database.query(`UPDATE tasks SET status = 'accepted' WHERE task_id = $1`, [id]);
  const history = await database.query('SELECT * FROM task_history WHERE task_id = $1 ORDER BY seq', [id]);
  expect(history).toMatchObject([
    { previous_status: null, new_status: 'queued', actor: 'sql:muster' },
    { previous_status: 'queued', new_status: 'pending', reason: 'placed', actor: 'sql:muster' },
    // What was said of the change before is not repeated for this one.
    { previous_status: 'pending', new_status: 'accepted', reason: null },
  ]);
  const [task] = await database.query('SELECT * FROM tasks WHERE task_id = $1', [id]);
  expect(task).toMatchObject({
    assigned_at: expect.any(Date),
    accepted_at: expect.any(Date),
    completed_at: null,
  });
});

it('a change of anything else leaves none', async () => {
  const id = await createTask();
  await database.query(`UPDATE tasks SET task_data_path = 'x', status = status WHERE task_id = $1`, [id]);
  expect(await database.query('SELECT * FROM task_history WHERE task_id = $1', [id])).toHaveLength(1);
});

it('a batch is one statement, however many rows it has', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, createTask));
  await database.query(`UPDATE tasks SET status = 'failed' WHERE task_id = ANY($1)`, [ids]);
  const [row] = await database.query(
    `SELECT count(*)::int AS rows, count(DISTINCT xmin::text)::int AS transactions FROM task_history
     WHERE task_id = ANY($1) AND new_status = 'failed'`,
    [ids],
  );
  expect(row).toEqual({ rows: 20, transactions: 1 });
});

it('one illegal row refuses the whole batch', async () => {
  const [first, second] = [await createTask(), await createTask()];
  await database.query(`UPDATE tasks SET status = 'failed' WHERE task_id = $1`, [first]);
  await expect(
    database.query(`UPDATE tasks SET status = 'pending' WHERE task_id IN ($1, $2)`, [first, second]),
  ).rejects.toMatchObject({ code: 'MU001' });
  expect(await database.query('SELECT status FROM tasks WHERE task_id = $1', [second])).toEqual([
    { status: 'queued' },
  ]);
});

it('an id cannot change, since it would slip past the pairing of old and new rows', async () => {
  const id = await createTask();
  await expect(
    database.query('UPDATE tasks SET task_id = gen_random_uuid() WHERE task_id = $1', [id]),
  ).rejects.toMatchObject({
    code: 'MU001',
  });
});

it('back in the queue, a task is nobody’s and has used one retry', async () => {
  const id = await createTask();
  await database.query(
    `UPDATE tasks SET status = 'pending', acceptance_deadline_at = now() WHERE task_id = $1`,
    [id],
  );
  await database.query(`UPDATE tasks SET status = 'queued' WHERE task_id = $1`, [id]);
  const [task] = await database.query('SELECT * FROM tasks WHERE task_id = $1', [id]);
  expect(task).toMatchObject({ assigned_at: null, acceptance_deadline_at: null, timeout_retry_count: 1 });
});

describe('a calculation', () => {
  async function createCalculation(): Promise<string> {
    const [row] = await database.query(
      'INSERT INTO schedule_calculations DEFAULT VALUES RETURNING schedule_id',
    );
    return row!.schedule_id;
  }

  it('runs again as the next generation, with fresh clocks', async () => {
    const id = await createCalculation();
    for (const status of ['running', 'completed', 'pending']) {
      await database.query(
        'UPDATE schedule_calculations SET status = $2::calculation_status WHERE schedule_id = $1',
        [id, status],
      );
    }
    const [row] = await database.query('SELECT * FROM schedule_calculations WHERE schedule_id = $1', [id]);
    expect(row).toMatchObject({ generation: 2, started_at: null, completed_at: null, last_heartbeat: null });
    const history = await database.query(
      'SELECT generation FROM schedule_history WHERE schedule_id = $1 ORDER BY seq',
      [id],
    );
    expect(history.map((entry) => entry.generation)).toEqual([1, 1, 1, 2]);
  });

  it.each([0, 2, 7])('does not change its generation by itself (to %d)', async (generation) => {
    const id = await createCalculation();
    await expect(
      database.query('UPDATE schedule_calculations SET generation = $2 WHERE schedule_id = $1', [
        id,
        generation,
      ]),
    ).rejects.toMatchObject({ code: 'MU001' });
  });
});

describe('a manager', () => {
  it('has a history of what decides about it, and of nothing else', async () => {
    const [{ manager_id: id }] = (await database.query(
      `INSERT INTO managers (manager_name, total_cores) VALUES ('node-7', 16) RETURNING manager_id`,
    )) as [{ manager_id: string }];
    const set = (assignment: string) =>
      database.query(`UPDATE managers SET ${assignment} WHERE manager_id = $1`, [id]);
    await set('last_seen = now()');
    await set(`registration_status = 'pending'`);
    await set(`registration_status = 'approved', status = 'online'`);
    await set('draining = true');
    await set(`last_seen = now(), current_engine_state = '{}'`);
    await set('total_cores = 32');
    const history = await database.query('SELECT * FROM manager_history WHERE manager_id = $1 ORDER BY seq', [
      id,
    ]);
    expect(history).toMatchObject([
      { new_registration_status: 'unregistered', new_status: 'offline', total_cores: 16 },
      { new_registration_status: 'pending', previous_registration_status: 'unregistered' },
      { new_registration_status: 'approved', previous_status: 'offline', new_status: 'online' },
      { draining: true },
      { draining: true, total_cores: 32 },
    ]);
    const [manager] = await database.query('SELECT approved_at FROM managers WHERE manager_id = $1', [id]);
    expect(manager!.approved_at).toBeInstanceOf(Date);
  });
});

it('the sequence of events is the order of their commits', async () => {
  const [early, late] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([early.connect(), late.connect()]);
  const insert = (client: pg.Client, description: string) =>
    client.query(
      `INSERT INTO system_events (event_type, description, actor) VALUES ('admin_action', $1, 'test')`,
      [description],
    );
  await early.query('BEGIN');
  await insert(early, 'first');
  // The second writer has no number yet: it waits for the first one's commit.
  const waiting = insert(late, 'second');
  const blocked = await database.query<{ waits: boolean }>(
    `SELECT true AS waits FROM pg_locks WHERE NOT granted AND locktype = 'advisory'`,
  );
  await early.query('COMMIT');
  await waiting;
  await Promise.all([early.end(), late.end()]);
  const rows = await database.query(
    `SELECT description FROM system_events WHERE actor = 'test' ORDER BY seq`,
  );
  expect(rows.map((row) => row.description)).toEqual(['first', 'second']);
  expect(blocked.length).toBeLessThanOrEqual(1);
});
