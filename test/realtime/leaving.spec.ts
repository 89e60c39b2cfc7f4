import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { startApi } from '../support/api.js';
import { signIn } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startInProcess } from './in-process.js';
import { closeSockets, connect, ended } from './sockets.js';
import { TrialEvents } from './trial-events.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(closeSockets);
afterAll(() => database?.drop());

it('what is under way is answered before the connection closes, and nothing new is taken on', async () => {
  const api = await startInProcess(database.url, {}, [TrialEvents]);
  const { token } = await signIn(api.url);
  const socket = await connect(api.url, token);
  const held = once(TrialEvents.holds, 'hold');
  const answer = socket.emitWithAck('trial:hold');
  await held;
  const ends = ended(socket);
  const stopped = api.stop();
  expect(await socket.emitWithAck('trial:admin')).toMatchObject({ ok: false, code: 'DATABASE_UNAVAILABLE' });
  TrialEvents.releases.splice(0).forEach((release) => release());
  expect(await answer).toEqual({ ok: true, released: true });
  // A reason for which clients look for another process by themselves.
  expect(await ends).toBe('transport close');
  await stopped;
});

it.each([['websocket'], ['polling']])(
  'a process with connections by %s ends when told to',
  async (transport) => {
    const api = await startApi(database.url);
    const { token } = await signIn(api.url);
    const sockets = await Promise.all(
      Array.from({ length: 20 }, () => connect(api.url, token, { transports: [transport] })),
    );
    const ends = Promise.all(sockets.map(ended));
    api.signal('SIGTERM');
    expect(await api.exited).toBe(0);
    for (const reason of await ends) expect(['transport close', 'transport error']).toContain(reason);
  },
);

it('a connection whose other end has gone silent does not keep the process', async () => {
  const api = await startApi(database.url);
  const { token } = await signIn(api.url);
  const socket = await connect(api.url, token);
  (socket.io.engine.transport as unknown as { ws: { pause(): void } }).ws.pause();
  api.signal('SIGTERM');
  expect(await api.exited).toBe(0);
  expect(api.output()).not.toMatch(/took too long/);
});
