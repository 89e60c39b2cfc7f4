import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN, startApi, type ApiProcess } from '../support/api.js';
import { clientOf, signIn, type Answer } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

let database: TestDatabase;
let api: ApiProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi(database.url);
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

/** Half a request: the head promises more than is ever sent. */
async function halfRequest(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head =
    'POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"user';
  await new Promise((resolve) => socket.write(head, resolve));
  return socket;
}

async function inFlight(): Promise<number> {
  const { body } = await clientOf(api.url)('GET', '/metrics');
  return Number(/^muster_http_requests_in_flight (\d+)$/m.exec(body as string)![1]);
}

describe('callers that go away', () => {
  it('are not counted as waiting for ever', async () => {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => halfRequest(api.port)));
    // The request for the figure is itself one of them.
    await eventually(inFlight, (requests) => requests === 51);
    sockets.forEach((socket) => socket.destroy());
    await eventually(inFlight, (requests) => requests === 1);
  });

  it('do not keep a server from leaving in order', async () => {
    const leaving = await startApi(database.url);
    const socket = await halfRequest(leaving.port);
    leaving.signal('SIGTERM');
    expect(await leaving.exited).toBe(0);
    expect(leaving.output()).not.toContain('took too long');
    socket.destroy();
  });
});

it('an offer of another protocol is answered in the one that it came with', async () => {
  const socket = connect(api.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n\r\n',
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 OK/);
  socket.destroy();
});

it('guesses that come all at once do not slip past the limit', async () => {
  const guess = () =>
    clientOf(api.url)('POST', '/api/auth/login', { username: 'grace', password: 'not the password' });
  const answers = await Promise.all(Array.from({ length: 25 }, guess));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  expect(await signIn(api.url, ADMIN)).toBeDefined();
});

it('a moment that an offset leads out of the calendar is refused before anything is made of it', async () => {
  const { client } = await signIn(api.url);
  const request = { name: 'far', role: 'viewer', expiresAt: '9999-12-31T23:59:59-00:01' };
  expect((await client('POST', '/api/api-keys', request)).status).toBe(400);
  expect(await database.query(`SELECT * FROM api_keys WHERE name = 'far'`)).toEqual([]);
});

it('who waits for our own connections is told that we are busy, not that the database is away', async () => {
  const small = await startApi(database.url, { MUSTER_DB_CONNECTIONS: '2' });
  const { client } = await signIn(small.url);
  const [user] = await database.query<{ user_id: string }>('SELECT user_id FROM users LIMIT 1');
  const lock = await database.hold(`SELECT 1 FROM users FOR UPDATE`);
  const change = () => client('PATCH', `/api/users/${user!.user_id}`, { disabled: false });
  const answers: string[] = [];
  const note = ({ status, body }: Answer) => void answers.push(`${status} ${body.code ?? 'done'}`);
  // Two get a connection each and wait for the lock; the other two find none.
  const changes = Array.from({ length: 4 }, () => change().then(note));
  await eventually(
    () => answers.length,
    (settled) => settled === 2,
  );
  await lock.release();
  await Promise.all(changes);
  expect(answers).toEqual(['429 OVERLOADED', '429 OVERLOADED', '200 done', '200 done']);
  await small.stop();
});
