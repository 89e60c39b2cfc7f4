import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { useApi } from './support/use-api.js';

const api = useApi({ MUSTER_GUESTS: 'true' });

type Item = Record<string, unknown>;

/** All pages of a list, one after the other; `between` happens after each page. */
async function readAll(url: string, between: (page: number) => unknown = () => {}): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  for (let page = 1; ; page++) {
    const { status, body } = await api.admin('GET', url + (cursor ? `&cursor=${cursor}` : ''));
    expect(status).toBe(200);
    items.push(...(body.items as Item[]));
    cursor = body.nextCursor as string | null;
    if (cursor === null) return items;
    await between(page);
  }
}

/** Rows whose times are equal, or differ only in microseconds, which a Date does not have. */
const TIMES = `timestamptz '2026-01-01 00:00:00Z' + (n % 7) * interval '1 microsecond'`;

const lists = [
  {
    path: '/api/users',
    id: 'id',
    insert: `INSERT INTO users (username, role, created_at)
             SELECT 'listed-' || gen_random_uuid()::text, 'guest', ${TIMES}`,
    order: 'SELECT user_id AS id FROM users ORDER BY created_at DESC, user_id DESC',
  },
  {
    path: '/api/api-keys',
    id: 'id',
    insert: `INSERT INTO api_keys (name, role, key_hash, created_by, created_at)
             SELECT 'k' || n, 'viewer', sha256(gen_random_uuid()::text::bytea), 'test', ${TIMES}`,
    order: 'SELECT api_key_id AS id FROM api_keys ORDER BY created_at DESC, api_key_id DESC',
  },
  {
    path: '/api/managers',
    id: 'managerId',
    insert: `INSERT INTO managers (manager_name, created_at, secret_hash) SELECT 'm' || n, ${TIMES}, sha256(gen_random_uuid()::text::bytea)`,
    order: 'SELECT manager_id AS id FROM managers ORDER BY created_at DESC, manager_id DESC',
  },
  {
    path: '/api/schedules',
    id: 'scheduleId',
    insert: `INSERT INTO schedule_calculations (created_at) SELECT ${TIMES}`,
    order: 'SELECT schedule_id AS id FROM schedule_calculations ORDER BY created_at DESC, schedule_id DESC',
  },
  {
    path: '/api/tasks',
    id: 'taskId',
    insert: `INSERT INTO tasks (schedule_id, task_type, created_at)
             SELECT (SELECT schedule_id FROM schedule_calculations LIMIT 1), 'start_calculation', ${TIMES}`,
    order: 'SELECT task_id AS id FROM tasks ORDER BY created_at DESC, task_id DESC',
  },
  {
    path: '/api/events',
    id: 'eventId',
    insert: `INSERT INTO system_events (event_type, description, actor) SELECT 'admin_action', 'event ' || n, 'test'`,
    order: 'SELECT event_id AS id FROM system_events ORDER BY seq DESC',
  },
] as const;

describe.each(lists)('$path', ({ path, id, insert, order }) => {
  const add = (count: number) => api.database.query(`${insert} FROM generate_series(1, ${count}) AS n`);
  const inOrder = async () => (await api.database.query<{ id: string }>(order)).map((row) => row.id);

  it('is read page by page, newest first, and nothing is lost or comes twice, whatever is added meanwhile', async () => {
    await add(25);
    const before = await inOrder();
    const items = await readAll(`${path}?limit=7`, () => add(3));
    const read = items.map((item) => item[id] as string);
    expect(new Set(read).size).toBe(read.length);
    // What was there is there, in its order; what was added may show or not.
    expect(read.filter((found) => before.includes(found))).toEqual(before);
    expect(before.length).toBeGreaterThan(3 * 7);
  });

  it('comes in pages of 50 unless asked for otherwise, and the last one says that it is', async () => {
    await add(60);
    const { body } = await api.admin('GET', path);
    expect([body.items.length, typeof body.nextCursor]).toEqual([50, 'string']);
    const all = (await api.admin('GET', `${path}?limit=500`)).body;
    expect([all.items.length, all.nextCursor]).toEqual([(await inOrder()).length, null]);
  });

  it('says so when the page holds exactly what is left', async () => {
    const count = (await inOrder()).length;
    const { body } = await api.admin('GET', `${path}?limit=${count}`);
    expect([body.items.length, body.nextCursor]).toEqual([count, null]);
  });
});

describe('records are rows in camelCase, without secrets', () => {
  const tables = [
    ['/api/managers', 'managers', {}, ['secretHash'], ['usedCores', 'availableCores']],
    ['/api/tasks', 'tasks', {}, [], []],
    ['/api/schedules', 'schedule_calculations', {}, [], []],
    ['/api/events', 'system_events', {}, [], []],
    ['/api/users', 'users', { userId: 'id' }, ['passwordHash'], []],
    ['/api/api-keys', 'api_keys', { apiKeyId: 'id' }, ['keyHash'], []],
  ] as const;

  it.each(tables)('%s', async (path, table, renamed, secrets, computed) => {
    const columns = await api.database.query<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns WHERE table_name = $1 AND table_schema = 'public'`,
      [table],
    );
    const names = columns
      .map(({ column_name }) => column_name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
      .map((name) => (renamed as Record<string, string>)[name] ?? name);
    const expected = [...names.filter((name) => !(secrets as readonly string[]).includes(name)), ...computed];
    const [item] = (await api.admin('GET', `${path}?limit=1`)).body.items as Item[];
    expect(Object.keys(item!).sort()).toEqual(expected.sort());
  });

  it('and no hash shows in any of them', async () => {
    await api.user('client');
    await api.admin('POST', '/api/api-keys', { name: 'hashed', role: 'viewer' });
    const [row] = await api.database.query<{ hashes: string[] }>(
      `SELECT array_agg(hash) AS hashes FROM (
         SELECT encode(secret_hash, 'hex') AS hash FROM managers
         UNION ALL SELECT encode(key_hash, 'hex') FROM api_keys
         UNION ALL SELECT password_hash FROM users WHERE password_hash IS NOT NULL) AS secrets`,
    );
    expect(row!.hashes.length).toBeGreaterThan(10);
    for (const { path } of lists) {
      const text = JSON.stringify(await readAll(`${path}?limit=500`));
      expect(text).not.toMatch(/argon2|(secret|password|key)_?hash/i);
      for (const hash of row!.hashes) {
        expect(text).not.toContain(hash);
        expect(text).not.toContain(Buffer.from(hash, 'hex').toString('base64').slice(0, 20) || hash);
      }
    }
  });
});

describe('filters', () => {
  const ids = async (url: string, id: string) => (await readAll(url)).map((item) => item[id]);
  const [manager, schedule] = [randomUUID(), randomUUID()];
  const inserted = (sql: string) =>
    api.database.query<{ id: string }>(sql).then((rows) => rows.map((row) => row.id));

  it('of managers', async () => {
    const found = await inserted(`
      INSERT INTO managers (manager_id, manager_name, status, registration_status)
      VALUES ('${manager}', 'filtered', 'online', 'approved') RETURNING manager_id AS id`);
    expect(await ids('/api/managers?status=online', 'managerId')).toEqual(found);
    expect(await ids('/api/managers?registrationStatus=approved', 'managerId')).toEqual(found);
    expect(await ids('/api/managers?status=online&registrationStatus=pending', 'managerId')).toEqual([]);
  });

  it('of calculations, also by time: from is in, to is out', async () => {
    const found = await inserted(`
      INSERT INTO schedule_calculations (schedule_id, assigned_manager_id, created_at)
      VALUES ('${schedule}', '${manager}', '2026-02-01T00:00:00Z') RETURNING schedule_id AS id`);
    expect(await ids(`/api/schedules?managerId=${manager}`, 'scheduleId')).toEqual(found);
    expect(await ids('/api/schedules?status=running', 'scheduleId')).toEqual([]);
    const between = (from: string, to: string) => ids(`/api/schedules?from=${from}&to=${to}`, 'scheduleId');
    expect(await between('2026-02-01T00:00:00Z', '2026-02-01T00:00:01Z')).toEqual(found);
    expect(await between('2026-01-31T23:00:00-01:00', '2026-02-02')).toEqual(found);
    expect(await between('2026-01-31', '2026-02-01T00:00:00Z')).toEqual([]);
    expect(await between('2026-02-01T00:00:00.000001Z', '2026-02-02')).toEqual([]);
  });

  it('of tasks', async () => {
    const found = await inserted(`
      INSERT INTO tasks (schedule_id, task_type) VALUES ('${schedule}', 'stop_calculation') RETURNING task_id AS id`);
    expect(await ids('/api/tasks?taskType=stop_calculation', 'taskId')).toEqual(found);
    expect(await ids(`/api/tasks?scheduleId=${schedule.toUpperCase()}`, 'taskId')).toEqual(found);
    expect(await ids(`/api/tasks?scheduleId=${schedule}&status=pending`, 'taskId')).toEqual([]);
    await api.database.query(
      `UPDATE tasks SET status = 'pending', assigned_manager_id = '${manager}' WHERE task_id = '${found[0]}'`,
    );
    expect(await ids(`/api/tasks?managerId=${manager}&status=pending`, 'taskId')).toEqual(found);
  });

  it('of events', async () => {
    const job = randomUUID();
    const found = await inserted(`
      INSERT INTO system_events (event_type, severity, description, actor, manager_id, task_id, schedule_id, job_id, "timestamp")
      SELECT 'engine_crash', 'critical', 'filtered', 'manager:filtered', '${manager}', task_id, '${schedule}', '${job}', '2026-03-01'
      FROM tasks WHERE schedule_id = '${schedule}' RETURNING event_id AS id`);
    const [{ taskId }] = (await readAll(`/api/tasks?scheduleId=${schedule}`)) as [Item];
    for (const query of [
      'eventType=engine_crash',
      'severity=critical',
      'actor=manager:filtered',
      `managerId=${manager}`,
      `taskId=${taskId}`,
      `scheduleId=${schedule}`,
      `jobId=${job}`,
      'from=2026-03-01&to=2026-03-01T00:00:01Z',
      `eventType=engine_crash&severity=critical&jobId=${job}`,
    ]) {
      expect([query, await ids(`/api/events?${query}`, 'eventId')]).toEqual([query, found]);
    }
    expect(await ids(`/api/events?jobId=${job}&severity=info`, 'eventId')).toEqual([]);
  });
});

describe('events after a sequence number', () => {
  const seqs = async () =>
    (await api.database.query<{ seq: string }>('SELECT seq FROM system_events ORDER BY seq')).map(({ seq }) =>
      Number(seq),
    );

  it('come oldest first, without gaps, page by page, also while more are written', async () => {
    const known = await seqs();
    const start = known.at(-31)!;
    const write = () => api.admin('POST', '/api/api-keys', { name: 'event', role: 'viewer' });
    const items = await readAll(`/api/events?afterSeq=${start}&limit=7`, (page) =>
      page < 4 ? write() : undefined,
    );
    expect(items.map(({ seq }) => seq)).toEqual((await seqs()).filter((seq) => seq > start));
  });

  it('are none after the last one, and all after 0', async () => {
    const known = await seqs();
    expect((await api.admin('GET', `/api/events?afterSeq=${known.at(-1)}`)).body).toEqual({
      items: [],
      nextCursor: null,
    });
    const [first] = (await api.admin('GET', '/api/events?afterSeq=0&limit=1')).body.items;
    expect(first.seq).toBe(known[0]);
  });

  it('can be filtered like any others', async () => {
    const items = await readAll('/api/events?afterSeq=0&eventType=signed_in&limit=500');
    expect(items.length).toBeGreaterThan(0);
    expect(new Set(items.map(({ eventType }) => eventType))).toEqual(new Set(['signed_in']));
  });
});
