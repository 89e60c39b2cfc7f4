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
  schedule_calculations: 'SELECT INSERT UPDATE',
  schedule_history: 'SELECT',
  server_secrets: 'SELECT INSERT',
  sessions: 'SELECT INSERT UPDATE DELETE',
  sign_in_throttles: 'SELECT INSERT UPDATE DELETE',
  system_events: 'SELECT INSERT',
  task_history: 'SELECT',
  task_results: 'SELECT INSERT UPDATE',
  tasks: 'SELECT INSERT UPDATE',
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

describe('functions that run with the owner’s rights', () => {
  it('find the owner’s tables before anybody’s temporary ones, and cannot be called', async () => {
    const functions = await test.query<{
      name: string;
      config: string[] | null;
      definer: boolean;
      callable: boolean;
    }>(`
      SELECT proname AS name, proconfig AS config, prosecdef AS definer,
             has_function_privilege('muster_reporting', oid, 'EXECUTE') OR has_function_privilege('muster_app', oid, 'EXECUTE') AS callable
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace`);
    expect(functions.filter(({ definer }) => definer).length).toBeGreaterThanOrEqual(6);
    expect(functions.filter(({ callable }) => callable)).toEqual([]);
    const lost = functions.filter(
      ({ definer, config }) => definer && !config?.includes('search_path=public, pg_temp'),
    );
    expect(lost).toEqual([]);
  });

  it('write to the real history, whatever temporary table has its name', async () => {
    const [row] = await test
      .query<{ rows: number }>(
        `
      SET ROLE muster_app;
      CREATE TEMP TABLE schedule_history (LIKE public.schedule_history INCLUDING DEFAULTS);
      INSERT INTO public.schedule_calculations (status_actor) VALUES ('temp:test');
      RESET ROLE;
      SELECT 1`,
      )
      .then(() =>
        test.query(`SELECT count(*)::int AS rows FROM public.schedule_history WHERE actor = 'temp:test'`),
      );
    expect(row).toEqual({ rows: 1 });
  });

  it('cannot be put on a table of somebody else’s making', async () => {
    await expect(
      test.query(`
        SET ROLE muster_reporting;
        CREATE TEMP TABLE forge (LIKE public.tasks);
        CREATE TRIGGER forge AFTER INSERT ON forge REFERENCING NEW TABLE AS new_rows
          FOR EACH STATEMENT EXECUTE FUNCTION public.tasks_record_insert()`),
    ).rejects.toMatchObject({ code: '42501' });
  });
});

it('a task cannot be born again under its id, and an event cannot choose its number', async () => {
  await expect(application.query({ text: 'DELETE FROM tasks' })).rejects.toMatchObject({ code: '42501' });
  const text = `INSERT INTO system_events (seq, event_type, description, actor) VALUES (999999, 'admin_action', 'x', 'y')`;
  await expect(application.query({ text })).rejects.toMatchObject({ code: '428C9' });
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
