import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type ApiProcess } from '../support/api.js';
import { signIn, type Client } from '../support/client.js';
import { startDatabaseProxy } from '../support/database-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { closeSockets, connect, connected, refusal, socketOf } from './sockets.js';
import { subscribe } from './subscription.js';

let database: TestDatabase;
let api: ApiProcess;
let token: string;
let admin: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi(database.url);
  ({ token, client: admin } = await signIn(api.url));
});
afterEach(closeSockets);
afterAll(async () => {
  await api?.stop();
  await database?.drop();
});

const withCookie = (name: string) => ({ cookie: `other=1; ${name}=${token}` });

describe('who proves who they are is let in', () => {
  it.each([['websocket'], ['polling']])('with an access token, by %s', async (transport) => {
    const socket = await connect(api.url, token, { transports: [transport] });
    expect(await socket.emitWithAck('ui:subscribe', {})).toMatchObject({ ok: true });
  });

  it('by polling first and then by WebSocket, as browsers do', async () => {
    const socket = socketOf(api.url, { auth: { token }, transports: ['polling', 'websocket'] });
    const upgraded = new Promise<void>((resolve) => {
      socket.io.on('open', () => socket.io.engine.once('upgrade', () => resolve()));
    });
    await connected(socket);
    await upgraded;
    expect(await socket.emitWithAck('ui:subscribe')).toMatchObject({ ok: true });
  });

  it('with an API key', async () => {
    const { body } = await admin('POST', '/api/api-keys', { name: 'for a socket', role: 'viewer' });
    const socket = await connect(api.url, body.key as string);
    expect(await socket.emitWithAck('ui:subscribe')).toMatchObject({ ok: true });
  });

  it('with the cookie of the console', async () => {
    await connected(socketOf(api.url, { extraHeaders: withCookie('muster_session') }));
  });

  it('with the https cookie where a trusted proxy ends https, and only there', async () => {
    const https = { 'x-forwarded-proto': 'https' };
    const secure = withCookie('__Host-muster_session');
    await connected(socketOf(api.url, { extraHeaders: { ...https, ...secure } }));
    expect(await refusal(api.url, { extraHeaders: secure })).toBe('UNAUTHORIZED');
    const plain = { ...https, ...withCookie('muster_session') };
    expect(await refusal(api.url, { extraHeaders: plain })).toBe('UNAUTHORIZED');
  });
});

describe('who does not is refused', () => {
  it.each([
    ['no token', {}],
    ['a made-up token', { token: 'eyJhbGciOiJIUzI1NiJ9.e30.AAAA' }],
    ['a made-up API key', { token: 'mst_made-up' }],
    ['an empty token', { token: '' }],
    ['a token that is no text', { token: { $ne: null } }],
    ['an endless token', { token: 'x'.repeat(1_000_000) }],
  ])('with %s', async (_what, auth) => {
    expect(await refusal(api.url, { auth })).toBe('UNAUTHORIZED');
  });

  it('with a bad token, even beside a good cookie', async () => {
    const options = { auth: { token: 'bad' }, extraHeaders: withCookie('muster_session') };
    expect(await refusal(api.url, options)).toBe('UNAUTHORIZED');
  });

  it('with a token in the address, where logs would show it', async () => {
    expect(await refusal(api.url, { query: { token } })).toBe('UNAUTHORIZED');
  });

  it('in another namespace', async () => {
    expect(await refusal(`${api.url}/elsewhere`, { auth: { token } })).toBe('Invalid namespace');
  });

  it('once per connection: after a wrong guess the server hangs up, not only in the end', async () => {
    const guesser = new WebSocket(`${api.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
    const heard: string[] = [];
    guesser.addEventListener('message', ({ data }) => {
      heard.push(String(data).slice(0, 2));
      if (heard.length === 1) guesser.send('40{"token":"bad"}');
      if (heard.length === 2) guesser.send(`40${JSON.stringify({ token })}`);
    });
    await once(guesser, 'close');
    expect(heard.slice(0, 2)).toEqual([expect.stringMatching(/^0/), '44']);
    expect(heard).not.toContain('40');
  }, 5_000);

  it('and that is in the audit trail', async () => {
    const events = await startApi(database.url);
    try {
      // A process of its own, since of many refusals within a minute only the first is an event at once.
      const heard = await subscribe(events.url, token);
      await refusal(events.url, { auth: { token: 'bad' } });
      expect(await heard.first(({ eventType }) => eventType === 'auth_failed')).toMatchObject({
        actor: 'address:127.0.0.1',
        severity: 'warning',
        eventData: { route: 'socket', count: 1 },
      });
    } finally {
      await events.stop();
    }
  });
});

describe('a page of another site is refused', () => {
  const origin = 'https://elsewhere.example';

  it.each([
    ['websocket', 'websocket error'],
    ['polling', 'xhr poll error'],
  ])('by %s, whatever it knows', async (transport, message) => {
    const options = { auth: { token }, extraHeaders: { origin }, transports: [transport] };
    expect(await refusal(api.url, options)).toBe(message);
  });

  it('with 403', async () => {
    const response = await fetch(`${api.url}/socket.io/?EIO=4&transport=polling`, { headers: { origin } });
    expect([response.status, await response.json()]).toEqual([403, { code: 4, message: 'CROSS_SITE' }]);
  });

  it('also one without an address to speak of', async () => {
    const options = { auth: { token }, extraHeaders: { origin: 'null' } };
    expect(await refusal(api.url, options)).toBe('websocket error');
  });

  it('but not our own, directly or through a trusted proxy', async () => {
    await connect(api.url, token, { extraHeaders: { origin: api.url } });
    const proxied = { origin: 'https://muster.example', 'x-forwarded-host': 'muster.example' };
    await connect(api.url, token, { extraHeaders: proxied });
  });
});

it('answers of the transport are neither kept nor guessed at, open to no other site, and no script', async () => {
  const { headers } = await fetch(`${api.url}/socket.io/?EIO=4&transport=polling`);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('access-control-allow-origin')).toBeNull();
  expect((await fetch(`${api.url}/socket.io/socket.io.js`)).status).toBe(400);
});

it('pings three times in a lease, and takes messages as large as REST does', async () => {
  const response = await fetch(`${api.url}/socket.io/?EIO=4&transport=polling`);
  const opening = JSON.parse((await response.text()).slice(1)) as object;
  expect(opening).toMatchObject({ pingInterval: 5_000, pingTimeout: 10_000, maxPayload: 1_200_000 });
});

it('while the database is away the refusal says so, and later it goes on', async () => {
  const way = await startDatabaseProxy(database.url);
  const behind = await startApi(way.url);
  try {
    await way.refuse();
    await behind.saw(/the database is away/);
    expect(await refusal(behind.url, { auth: { token } })).toBe('DATABASE_UNAVAILABLE');
    await way.accept();
    await behind.saw(/the database is back/);
    await connect(behind.url, token);
  } finally {
    await behind.stop();
    await way.close();
  }
});

it('a process that waits for its database says so too', async () => {
  const way = await startDatabaseProxy(database.url);
  await way.refuse();
  const waiting = await startApi(way.url, {}, { waitUntilReady: false });
  try {
    await waiting.saw(/waiting for the database/);
    expect(await refusal(waiting.url, { auth: { token } })).toBe('DATABASE_UNAVAILABLE');
  } finally {
    await waiting.stop();
  }
});
