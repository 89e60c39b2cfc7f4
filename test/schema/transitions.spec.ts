import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { calculationMachine } from '@muster/domain/calculation-states';
import { presenceMachine, registrationMachine } from '@muster/domain/manager-states';
import { allows, statesOf, type StateMachine } from '@muster/domain/state-machine';
import { taskMachine } from '@muster/domain/task-states';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** Where each machine lives in the database. */
const guarded: Array<{ machine: StateMachine<string>; column: string; create: () => Promise<Guarded> }> = [
  { machine: taskMachine, column: 'status', create: createTask },
  { machine: calculationMachine, column: 'status', create: createCalculation },
  { machine: registrationMachine, column: 'registration_status', create: createManager },
  { machine: presenceMachine, column: 'status', create: createManager },
];

interface Guarded {
  readonly table: string;
  readonly history: string;
  readonly idColumn: string;
  readonly id: string;
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('PostgreSQL and libs/domain have the same transition tables', async () => {
  const rows = await database.query('SELECT machine, previous_status, new_status FROM legal_transitions');
  const inDatabase = rows.map(
    (row) => `${row.machine}: ${row.previous_status || 'nothing'} → ${row.new_status}`,
  );
  const inDomain = guarded.flatMap(({ machine }) => [
    ...machine.initial.map((state) => `${machine.name}: nothing → ${state}`),
    ...statesOf(machine).flatMap((from) =>
      machine.transitions[from]!.map((to) => `${machine.name}: ${from} → ${to}`),
    ),
  ]);
  expect(inDatabase.sort()).toEqual(inDomain.sort());
});

it.each(guarded)(
  'the enum of the $machine.name machine has its states',
  async ({ machine, column, create }) => {
    const { table } = await create();
    const [row] = await database.query<{ states: string[] }>(
      `SELECT enum_range(NULL::${await typeOf(table, column)})::text[] AS states`,
    );
    expect([...row!.states].sort()).toEqual(statesOf(machine).sort());
  },
);

describe.each(guarded)('the guard of $machine.name', ({ machine, column, create }) => {
  const pairs = statesOf(machine).flatMap((from) => statesOf(machine).map((to) => [from, to] as const));

  it.each(pairs.filter(([from, to]) => from !== to))(
    '%s → %s is decided as libs/domain decides it',
    async (from, to) => {
      const row = await create();
      for (const state of pathTo(machine, from, await statusOf(row, column)))
        await setStatus(row, column, state);
      const before = await historyOf(row);
      const attempt = setStatus(row, column, to);
      if (allows(machine, from, to)) {
        await attempt;
        expect((await historyOf(row)).length).toBe(before.length + 1);
      } else {
        await expect(attempt).rejects.toMatchObject({
          code: 'MU001',
          message: `a ${machine.name} cannot go from ${from} to ${to}`,
        });
        expect(await historyOf(row)).toEqual(before);
        expect(await statusOf(row, column)).toBe(from);
      }
    },
  );

  it('any walk leaves one history row per step, and folding them gives the row', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...statesOf(machine)), { maxLength: 12 }), async (wishes) => {
        const row = await create();
        const walked = [await statusOf(row, column)];
        for (const wish of wishes) {
          const from = walked.at(-1)!;
          if (wish === from) continue;
          const legal = allows(machine, from, wish);
          await setStatus(row, column, wish).then(
            () => expect(legal).toBe(true),
            () => expect(legal).toBe(false),
          );
          if (legal) walked.push(wish);
        }
        const history = await historyOf(row);
        const suffix = column === 'status' ? 'status' : column;
        expect(history.map((entry) => entry[`new_${suffix}`])).toEqual(walked);
        expect(history.map((entry) => entry[`previous_${suffix}`])).toEqual([null, ...walked.slice(0, -1)]);
        expect(await statusOf(row, column)).toBe(history.at(-1)![`new_${suffix}`]);
      }),
      { numRuns: 40 },
    );
  });

  it('refuses to be born in any other state', async () => {
    const row = await create();
    for (const state of statesOf(machine).filter((state) => !machine.initial.includes(state))) {
      const [columns] = await database.query<{ names: string }>(
        `SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
         WHERE table_name = $1 AND column_name NOT IN ($2, $3)`,
        [row.table, row.idColumn, column],
      );
      const names = columns!.names;
      await expect(
        database.query(
          `INSERT INTO ${row.table} (${column}, ${names}) SELECT '${state}', ${names} FROM ${row.table} WHERE ${row.idColumn} = $1`,
          [row.id],
        ),
      ).rejects.toMatchObject({
        code: 'MU001',
        message: `a ${machine.name} cannot go from nothing to ${state}`,
      });
    }
  });
});

/** The shortest legal way from one state to another. */
function pathTo(machine: StateMachine<string>, target: string, start: string): string[] {
  const queue: string[][] = [[start]];
  for (const path of queue) {
    if (path.at(-1) === target) return path.slice(1);
    for (const next of machine.transitions[path.at(-1)!]!)
      if (!path.includes(next)) queue.push([...path, next]);
  }
  throw new Error(`${machine.name} does not lead from ${start} to ${target}`);
}

async function createCalculation(): Promise<Guarded> {
  const [row] = await database.query<{ id: string }>(
    'INSERT INTO schedule_calculations DEFAULT VALUES RETURNING schedule_id AS id',
  );
  return {
    table: 'schedule_calculations',
    history: 'schedule_history',
    idColumn: 'schedule_id',
    id: row!.id,
  };
}

async function createTask(): Promise<Guarded> {
  const { id: scheduleId } = await createCalculation();
  const [row] = await database.query<{ id: string }>(
    `INSERT INTO tasks (schedule_id, task_type) VALUES ($1, 'start_calculation') RETURNING task_id AS id`,
    [scheduleId],
  );
  return { table: 'tasks', history: 'task_history', idColumn: 'task_id', id: row!.id };
}

async function createManager(): Promise<Guarded> {
  const [row] = await database.query<{ id: string }>(
    `INSERT INTO managers (manager_name) VALUES ('node') RETURNING manager_id AS id`,
  );
  return { table: 'managers', history: 'manager_history', idColumn: 'manager_id', id: row!.id };
}

function setStatus({ table, idColumn, id }: Guarded, column: string, status: string): Promise<unknown> {
  return database.query(`UPDATE ${table} SET ${column} = '${status}' WHERE ${idColumn} = $1`, [id]);
}

async function statusOf({ table, idColumn, id }: Guarded, column: string): Promise<string> {
  const [row] = await database.query(
    `SELECT ${column}::text AS status FROM ${table} WHERE ${idColumn} = $1`,
    [id],
  );
  return row!.status;
}

function historyOf({ history, idColumn, id }: Guarded): Promise<Array<Record<string, unknown>>> {
  return database.query(`SELECT * FROM ${history} WHERE ${idColumn} = $1 ORDER BY seq`, [id]);
}

async function typeOf(table: string, column: string): Promise<string> {
  const [row] = await database.query(
    'SELECT udt_name FROM information_schema.columns WHERE table_name = $1 AND column_name = $2',
    [table, column],
  );
  return row!.udt_name;
}
