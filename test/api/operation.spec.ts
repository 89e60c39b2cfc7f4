import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN, startApi, type ApiProcess } from '../support/api.js';
import { clientOf, signIn, type Answer, type Client } from '../support/client.js';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { rawRequest } from './support/raw-request.js';

const JWT_SECRET = 'the-signing-secret-that-nobody-may-ever-see-in-a-log';
const METRICS_TOKEN = 'the-token-of-who-reads-the-metrics';

let database: TestDatabase;
let proxy: DatabaseProxy;
let api: ApiProcess;
let token: string;
let admin: Client;
let nobody: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.url);
  api = await startApi(proxy.url, {
    MUSTER_LOG_LEVEL: 'debug',
    MUSTER_JWT_SECRET: JWT_SECRET,
    MUSTER_METRICS_TOKEN: METRICS_TOKEN,
  });
  nobody = clientOf(api.url);
  ({ token, client: admin } = await signIn(api.url));
});
afterAll(async () => {
  await api?.stop();
  await proxy?.close();
  await database?.drop();
});

const metrics = () => clientOf(api.url, METRICS_TOKEN)('GET', '/metrics');

describe('while all is well', () => {
  it('the process is live and ready', async () => {
    expect(await nobody('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await nobody('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('the metrics are Prometheus text, by route and not by address', async () => {
    await admin('PATCH', '/api/users/11111111-1111-4111-8111-111111111111', {});
    const { headers, body } = await metrics();
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(body).toMatch(/^muster_database_up 1$/m);
    expect(body).toMatch(
      /^muster_http_request_duration_seconds_count\{[^}]*route="\/api\/users\/:id"[^}]*status="404"[^}]*\} 1$/m,
    );
    expect(body).not.toContain('11111111-1111');
  });

  it('count in-flight requests down again, also those that never were a route', async () => {
    await nobody('GET', '/nothing');
    await nobody('GET', '/api/users/%zz');
    await rawRequest(api.url, 'nonsense\r\n\r\n');
    expect((await metrics()).body).toMatch(/^muster_http_requests_in_flight 1$/m);
  });

  it('the metrics want their token, if there is one', async () => {
    for (const client of [nobody, admin, clientOf(api.url, `${METRICS_TOKEN}x`), clientOf(api.url, 'x')]) {
      const { status, body } = await client('GET', '/metrics');
      expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
    }
    expect((await metrics()).status).toBe(200);
  });
});

describe('while the database is away', () => {
  let before: number;

  beforeAll(async () => {
    before = api.pid;
    await proxy.refuse();
    await eventually(
      () => nobody('GET', '/readyz'),
      ({ status }) => status === 503,
    );
  });
  afterAll(async () => {
    await proxy.accept();
    await eventually(
      () => nobody('GET', '/readyz'),
      ({ status }) => status === 200,
    );
  });

  const expectAway = ({ status, headers, body }: Answer, code: string) => {
    expect([status, headers.get('content-type'), body.code]).toEqual([
      503,
      'application/problem+json; charset=utf-8',
      code,
    ]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  };

  it('the process is live, but not ready, and says why', async () => {
    expect((await nobody('GET', '/healthz')).status).toBe(200);
    const answer = await nobody('GET', '/readyz');
    expectAway(answer, 'NOT_READY');
    expect(answer.body.detail).toBe('Not ready: the database is away');
  });

  it('every call is answered 503 with a time to come back, and nobody is taken for a stranger', async () => {
    for (const client of [admin, nobody]) {
      expectAway(await client('POST', '/api/auth/login', ADMIN), 'DATABASE_UNAVAILABLE');
    }
    expectAway(await admin('GET', '/api/users'), 'DATABASE_UNAVAILABLE');
    expectAway(await admin('POST', '/api/api-keys', { name: 'a', role: 'viewer' }), 'DATABASE_UNAVAILABLE');
    expectAway(await admin('GET', '/api/auth/me'), 'DATABASE_UNAVAILABLE');
  });

  it('what needs no database is answered as ever', async () => {
    expect((await nobody('GET', '/api/openapi.json')).status).toBe(200);
    expect((await nobody('GET', '/api/users')).status).toBe(401);
    expect((await nobody('GET', '/nothing')).status).toBe(404);
    expect((await metrics()).body).toMatch(/^muster_database_up 0$/m);
  });

  it('and afterwards the same process serves on', async () => {
    await proxy.accept();
    await eventually(
      () => nobody('GET', '/readyz'),
      ({ status }) => status === 200,
    );
    expect((await admin('GET', '/api/users')).status).toBe(200);
    expect(api.pid).toBe(before);
    await proxy.refuse();
    await eventually(
      () => nobody('GET', '/readyz'),
      ({ status }) => status === 503,
    );
  });
});

it('a process that waits for its database at the start is live, answers 503, and does not give up', async () => {
  const nowhere = `postgres://muster@127.0.0.1:${await freePort()}/nowhere`;
  const waiting = await startApi(nowhere, {}, { waitUntilReady: false });
  try {
    await waiting.saw(/waiting for the database/);
    const client = clientOf(waiting.url);
    expect((await client('GET', '/healthz')).status).toBe(200);
    expect(await client('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { detail: 'Not ready: starting' },
    });
    expect(await client('GET', '/api/users')).toMatchObject({
      status: 503,
      body: { code: 'DATABASE_UNAVAILABLE' },
    });
    expect((await client('POST', '/api/auth/login', ADMIN)).headers.get('retry-after')).toBe('1');
  } finally {
    await waiting.stop();
  }
});

describe('a request has an id', () => {
  const idFor = async (given: string) =>
    (await nobody('GET', '/api/users', undefined, { 'x-request-id': given })).headers.get('x-request-id')!;

  it('its own, if it brings one, which is then in the log', async () => {
    expect(await idFor('order-4711.a_b')).toBe('order-4711.a_b');
    const line = JSON.parse(await api.saw(/"reqId":"order-4711\.a_b"/)) as object;
    expect(line).toMatchObject({
      level: 'debug',
      method: 'GET',
      path: '/api/users',
      status: 401,
      msg: 'request',
    });
  });

  it('a new one, if it brings none, or one that would mislead who reads the log', async () => {
    const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
    const { headers } = await nobody('GET', '/healthz');
    expect(headers.get('x-request-id')).toMatch(uuid);
    await api.saw(new RegExp(headers.get('x-request-id')!));
    for (const given of ['a b', '{"level":"fatal"}', 'x'.repeat(101), 'é'])
      expect(await idFor(given)).toMatch(uuid);
  });
});

describe('every answer', () => {
  const key = { name: 'headers', role: 'viewer' };

  const answers: Array<[string, () => Promise<Answer>]> = [
    ['200', () => admin('GET', '/api/users')],
    ['201', () => admin('POST', '/api/api-keys', key)],
    [
      '204',
      async () => admin('DELETE', `/api/api-keys/${(await admin('POST', '/api/api-keys', key)).body.id}`),
    ],
    ['400', () => admin('GET', '/api/users?limit=0')],
    ['400 for what cannot be parsed', () => admin('POST', '/api/users', '{')],
    ['400 for what cannot be decoded', () => nobody('GET', '/api/users/%zz')],
    ['400 for what is no HTTP', () => rawRequest(api.url, 'nonsense\r\n\r\n')],
    ['401', () => nobody('GET', '/api/users')],
    ['403', () => nobody('POST', '/api/auth/guest', { username: 'a' })],
    ['404', () => nobody('GET', '/nothing')],
    ['413', () => nobody('POST', '/api/auth/login', JSON.stringify('x'.repeat(1_300_000)))],
    ['414', () => nobody('GET', `/api/users/${'x'.repeat(300)}`)],
    ['431', () => rawRequest(api.url, `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`)],
    ['of a probe', () => nobody('GET', '/healthz')],
    ['of the metrics', metrics],
    ['of the description', () => nobody('GET', '/api/openapi.json')],
    ['of the page that shows it', () => nobody('GET', '/api/docs')],
  ];

  it.each(answers)('%s is not kept, not framed and not guessed at', async (_what, call) => {
    const { headers } = await call();
    expect(headers.get('cache-control')).toBe('no-store');
    expectHarmless(headers);
  });

  it('of a script of that page is no secret, and may be kept', async () => {
    const { headers } = await nobody('GET', '/api/docs/swagger-ui-bundle.js');
    expect(headers.get('cache-control')).toBe('public, max-age=0');
    expectHarmless(headers);
  });

  function expectHarmless(headers: Headers): void {
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-request-id')).toMatch(/^[\w.-]+$/);
    const policy = headers.get('content-security-policy')!.split(/;\s*/);
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'"]));
    expect(policy.find((rule) => rule.startsWith('script-src')) ?? '').not.toMatch(/unsafe|\*|https?:/);
    expect([...headers.keys()].filter((name) => /^(server|x-powered-by)$/.test(name))).toEqual([]);
  }
});

/** Last, because it looks at everything that was said in this file as well. */
describe('the log', () => {
  it('is JSON, line by line', () => {
    const lines = api.output().trim().split('\n');
    expect(lines.length).toBeGreaterThan(50);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        level: expect.any(String),
        time: expect.any(String),
        msg: expect.any(String),
      });
    }
  });

  it('holds no secret, at whatever level and whatever goes wrong', async () => {
    const password = 'the pass phrase of a new user';
    const wrong = 'a pass phrase that was mistyped';
    const account = { username: 'logged', password, role: 'admin' };
    await admin('POST', '/api/users', account, { 'idempotency-key': 'idempotent' });
    await admin('POST', '/api/users', account);
    const elsewhere = { 'x-forwarded-for': '203.0.113.1' };
    await nobody('POST', '/api/auth/login', { username: 'logged', password: wrong }, elsewhere);
    await nobody('POST', '/api/auth/login', { username: 'logged', password, more: 1 });
    await nobody('POST', '/api/auth/login', `{"username":"logged","password":"${password}"`);
    const session = (await nobody('POST', '/api/auth/login', { username: 'logged', password })).body
      .accessToken as string;
    const cookie = { cookie: `muster_session=${session}` };
    await nobody('GET', '/api/auth/me', undefined, cookie);
    const { key, id } = (await admin('POST', '/api/api-keys', { name: 'logged', role: 'viewer' })).body;
    await clientOf(api.url, key as string)('GET', '/api/users');
    await nobody('GET', `/api/users?token=${key}`);
    await nobody('GET', `/nothing?token=${key}`);
    await admin('DELETE', `/api/api-keys/${id}`);
    await clientOf(api.url, key as string)('GET', '/api/users', undefined, {
      'x-request-id': 'the-last-one',
    });
    // Something that nobody foresaw, in the midst of handling secrets.
    await database.query('ALTER TABLE api_keys RENAME COLUMN created_by TO created_for');
    await database.query('ALTER TABLE users RENAME COLUMN role TO rank');
    expect((await admin('POST', '/api/api-keys', { name: 'logged', role: 'viewer' })).status).toBe(500);
    expect((await admin('POST', '/api/users', { ...account, username: 'unforeseen' })).status).toBe(500);
    await database.query('ALTER TABLE users RENAME COLUMN rank TO role');
    await database.query('ALTER TABLE api_keys RENAME COLUMN created_for TO created_by');
    await api.saw(/"reqId":"the-last-one"/);
    await api.saw(/a request failed unexpectedly/);

    const signatures = [token, session].map((jwt) => jwt.split('.')[2]!);
    const secrets = [
      ADMIN.password,
      password,
      wrong,
      (key as string).slice(4),
      ...signatures,
      JWT_SECRET,
      METRICS_TOKEN,
    ];
    const said = api.output();
    for (const secret of secrets) expect([secret, said.includes(secret)]).toEqual([secret, false]);
    expect(said).not.toMatch(/argon2id|keyHash|key_hash|passwordHash|password_hash/);
    const databasePassword = new URL(database.url).password;
    if (databasePassword) expect(said).not.toContain(decodeURIComponent(databasePassword));
  });

  it('and neither do the events', async () => {
    const events = JSON.stringify(await database.query('SELECT * FROM system_events'));
    expect(events).toContain('A sign-in as logged failed');
    expect(events).not.toMatch(/pass phrase|correct horse|mst_|argon2id|eyJ/);
  });
});
