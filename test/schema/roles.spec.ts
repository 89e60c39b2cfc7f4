import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@muster/data/database';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let test: TestDatabase;
let application: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  application = new Database({ url: test.url, name: 'test' });
});
afterAll(async () => {
  await application.close();
  await test.drop();
});

/** What the application's role may do with each table; a new table has to be put here on purpose. */
const expected: Record<string, string> = {
  _prisma_migrations: 'SELECT',
  api_keys: 'SELECT INSERT UPDATE DELETE',
  idempotency_keys: 'SELECT INSERT UPDATE DELETE',
  leadership: 'SELECT INSERT UPDATE DELETE',
  legal_transitions: 'SELECT',
  manager_history: 'SELECT',
  managers: 'SELECT INSERT UPDATE DELETE',
  schedule_calculations: 'SELECT INSERT UPDATE DELETE',
  schedule_history: 'SELECT',
  server_secrets: 'SELECT INSERT',
  sessions: 'SELECT INSERT UPDATE DELETE',
  sign_in_throttles: 'SELECT INSERT UPDATE DELETE',
  system_events: 'SELECT INSERT',
  task_history: 'SELECT',
  task_results: 'SELECT INSERT UPDATE DELETE',
  tasks: 'SELECT INSERT UPDATE DELETE',
  users: 'SELECT INSERT UPDATE DELETE',
};

it('the application works in the role muster_app', async () => {
  expect(await application.query({ text: 'SELECT current_user::text AS role' })).toEqual([
    { role: 'muster_app' },
  ]);
});

it('muster_app has exactly the rights that it needs', async () => {
  const rows = await test.query<{ table: string; rights: string }>(`
    SELECT relname AS "table", string_agg(privilege, ' ' ORDER BY position) AS rights
    FROM pg_class,
      unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) WITH ORDINALITY AS p(privilege, position)
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND has_table_privilege('muster_app', oid, privilege)
    GROUP BY relname`);
  expect(Object.fromEntries(rows.map(({ table, rights }) => [table, rights]))).toEqual(expected);
});

describe.each(['task_history', 'schedule_history', 'manager_history', 'system_events'])('%s', (table) => {
  it.each([`UPDATE ${table} SET actor = 'somebody else'`, `DELETE FROM ${table}`, `TRUNCATE ${table}`])(
    'refuses the application: %s',
    async (text) => {
      await expect(application.query({ text })).rejects.toMatchObject({ code: '42501' });
    },
  );
});

it('the application cannot make up history', async () => {
  const text = `INSERT INTO task_history (task_id, new_status) VALUES (gen_random_uuid(), 'completed')`;
  await expect(application.query({ text })).rejects.toMatchObject({ code: '42501' });
});

it('but what it changes has its history, with who and why', async () => {
  const [calculation] = await application.query<{ schedule_id: string }>({
    text: `INSERT INTO schedule_calculations (status_actor) VALUES ('user:ada') RETURNING schedule_id`,
  });
  const id = calculation!.schedule_id;
  const change = (status: string, reason: string | null) =>
    application.query({
      text: `UPDATE schedule_calculations SET status = $2::calculation_status, status_actor = 'manager:n7', status_reason = $3 WHERE schedule_id = $1`,
      values: [id, status, reason],
    });
  await change('running', 'engine is up');
  await change('completed', null);
  expect(
    await test.query(
      'SELECT previous_status, new_status, actor, reason FROM schedule_history WHERE schedule_id = $1 ORDER BY seq',
      [id],
    ),
  ).toEqual([
    { previous_status: null, new_status: 'pending', actor: 'user:ada', reason: null },
    { previous_status: 'pending', new_status: 'running', actor: 'manager:n7', reason: 'engine is up' },
    { previous_status: 'running', new_status: 'completed', actor: 'manager:n7', reason: null },
  ]);
});

describe('muster_reporting', () => {
  const asAnalyst = (statement: string) => test.query(`SET ROLE muster_reporting; ${statement}; RESET ROLE`);

  it('reads the views of reporting', async () => {
    await asAnalyst('SELECT * FROM reporting.admin_actions; SELECT * FROM reporting.events_daily');
  });

  it('can read no table, write nothing and make nothing', async () => {
    const tables = await test.query<{ name: string }>(`
      SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('public', 'pgboss')`);
    expect(tables.length).toBeGreaterThan(15);
    const reach = await test.query(`
      SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname IN ('public', 'pgboss')
        AND has_table_privilege('muster_reporting', format('%I.%I', schemaname, tablename), 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')`);
    expect(reach).toEqual([]);
    for (const schema of ['public', 'reporting']) {
      await expect(asAnalyst(`CREATE TABLE ${schema}.mine (id int)`)).rejects.toMatchObject({
        code: '42501',
      });
    }
  });
});
