import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Socket } from 'socket.io-client';
import { Credentials } from '../../apps/api/src/auth/credentials.js';
import { Metrics } from '../../apps/api/src/http/metrics.js';
import { ClientEvents } from '../../apps/api/src/realtime/client-events.js';
import { accountRoom } from '../../apps/api/src/realtime/client-socket.js';
import { Sockets } from '../../apps/api/src/realtime/sockets.js';
import { CREDENTIALS_CHANGED } from '../../apps/api/src/realtime/topics.js';
import { clientOf, signIn } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startInProcess, type InProcessApi } from './in-process.js';
import { closeSockets, connect, ended, refusal, signInAs, signInAsGuest } from './sockets.js';
import { subscribe } from './subscription.js';
import { TrialEvents } from './trial-events.js';

let database: TestDatabase;
let api: InProcessApi;
let token: string;
let socket: Socket;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startInProcess(database.url, { MUSTER_GUESTS: 'true' }, [TrialEvents]);
  ({ token } = await signIn(api.url));
});
afterEach(closeSockets);
afterAll(async () => {
  await api?.stop();
  await database?.drop();
});

async function ask(event: string, ...given: unknown[]): Promise<unknown> {
  if (!socket?.connected) socket = await connect(api.url, token);
  return socket.timeout(5_000).emitWithAck(event, ...given);
}

describe('every event', () => {
  /** Who may send what. A new event stands here, or this fails. */
  const declared = { 'ui:subscribe': ['admin', 'client', 'viewer'] };

  it('declares who may send it', () => {
    const events = api.app.get(ClientEvents).all();
    const ours = events.filter(({ name }) => !name.startsWith('trial:'));
    expect(
      Object.fromEntries(ours.map(({ name, access }) => [name, access?.kind === 'roles' && access.roles])),
    ).toEqual(declared);
    expect(events.filter(({ access }) => !access).map(({ name }) => name)).toEqual(['trial:undeclared']);
  });

  it('is closed to everybody if it does not', async () => {
    expect(await ask('trial:undeclared')).toMatchObject({ ok: false, code: 'FORBIDDEN' });
  });

  it('is refused to other roles, which the audit trail shows', async () => {
    const heard = await subscribe(api.url, token);
    const guest = await connect(api.url, await signInAsGuest(api.url, 'somebody'));
    expect(await guest.emitWithAck('ui:subscribe')).toEqual({
      ok: false,
      code: 'FORBIDDEN',
      message: 'The role guest may not do this',
    });
    expect(await heard.first(({ eventType }) => eventType === 'access_denied')).toMatchObject({
      actor: 'user:somebody',
      severity: 'warning',
      eventData: { event: 'ui:subscribe', role: 'guest', count: 1 },
    });
  });

  it.each(['viewer', 'client'])('that readers may send is taken from a %s', async (role) => {
    const reader = await connect(api.url, (await signInAs(api.url, role)).token);
    expect(await reader.emitWithAck('ui:subscribe')).toMatchObject({ ok: true });
    expect(await reader.emitWithAck('trial:admin')).toMatchObject({ ok: false, code: 'FORBIDDEN' });
  });
});

describe('a message', () => {
  it('reaches its handler as an instance of its class, with whoever sent it', async () => {
    expect(await ask('trial:echo', { number: 3, place: { name: 'here' } })).toEqual({
      ok: true,
      by: 'admin',
      isTrial: true,
      number: 3,
      place: { name: 'here' },
    });
  });

  it.each([
    ['is missing', []],
    ['is null', [null]],
    ['is a text', ['text']],
    ['is a number', [7]],
    ['is a list', [[{ number: 3 }]]],
    ['is two', [{ number: 3 }, { number: 3 }]],
    ['lacks a field', [{}]],
    ['has a field of another type', [{ number: '3' }]],
    ['has a value out of range', [{ number: 10 }]],
    ['has an unknown field', [{ number: 3, nmuber: 3 }]],
    ['has an unknown field deep down', [{ number: 3, place: { name: 'here', more: 1 } }]],
    ['holds bytes', [{ number: 3, anything: Buffer.from('bytes') }]],
    ['is bytes', [Buffer.from('bytes')]],
    ['reaches for the prototype', [JSON.parse('{"number":3,"anything":{"__proto__":{"admin":true}}}')]],
    ['reaches for the constructor', [{ number: 3, constructor: { prototype: { admin: true } } }]],
    ['holds a NUL', [{ number: 3, anything: ['\u0000'] }]],
  ])('that %s is a BAD_REQUEST', async (_what, given) => {
    expect(await ask('trial:echo', ...given)).toMatchObject({ ok: false, code: 'BAD_REQUEST' });
  });

  it('that is wrong is told which field', async () => {
    expect(await ask('trial:echo', { number: 3, place: { name: 7 } })).toMatchObject({
      code: 'BAD_REQUEST',
      errors: expect.arrayContaining([{ field: 'place.name', message: 'name must be a string' }]),
    });
    const wrong = Object.fromEntries(Array.from({ length: 10_000 }, (_, field) => [`f${field}`, 1]));
    const { errors } = (await ask('trial:echo', wrong)) as { errors: unknown[] };
    expect(errors.length).toBeLessThanOrEqual(20);
  });

  it('nested too deeply is refused, however deep', async () => {
    const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
    expect(await ask('trial:echo', { number: 3, anything: nested(99) })).toMatchObject({ ok: true });
    for (const depth of [100, 200_000]) {
      // Past the library's own encoder, which recurses.
      const [answer] = await sendRaw(
        `421["trial:echo",{"number":3,"anything":${'['.repeat(depth)}${']'.repeat(depth)}}]`,
      );
      expect(answer).toMatchObject({ ok: false, code: 'TOO_DEEP' });
    }
  });

  it('may be left out where there is nothing to say, but not say more', async () => {
    expect(await ask('trial:admin')).toEqual({ ok: true });
    expect(await ask('trial:admin', {})).toEqual({ ok: true });
    expect(await ask('trial:admin', { more: 1 })).toMatchObject({ ok: false, code: 'BAD_REQUEST' });
  });

  it('of an event that is declared so may have unknown fields, which are dropped', async () => {
    expect(await ask('trial:lenient', { number: 3, newer: true })).toEqual({ ok: true, number: 3 });
  });
});

describe('an answer', () => {
  it.each(['nonsense', '', 'error', 'message', 'toString', '__proto__', 'constructor'])(
    'to the unknown event "%s" is BAD_REQUEST',
    async (event) => {
      expect(await ask(event, {})).toMatchObject({ ok: false, code: 'BAD_REQUEST' });
    },
  );

  it('carries the code of the fault, and what it collided with', async () => {
    expect(await ask('trial:conflict')).toEqual({
      ok: false,
      code: 'LOCKED',
      message: 'Somebody else holds it',
      current: { holder: 'somebody' },
    });
    expect(await ask('trial:missing')).toMatchObject({ ok: false, code: 'NOT_FOUND' });
    expect(await ask('trial:overloaded')).toMatchObject({ ok: false, code: 'RATE_LIMITED' });
  });

  it('may be a refusal that the handler words itself', async () => {
    expect(await ask('trial:own-refusal')).toMatchObject({ ok: false, code: 'LOCKED', holder: 'somebody' });
  });

  it('is given for our own mistakes too, without their details', async () => {
    for (const event of ['trial:bug', 'trial:unsendable']) {
      const answer = await ask(event);
      expect(answer).toMatchObject({ ok: false, code: 'INTERNAL' });
      expect(JSON.stringify(answer)).not.toMatch(/secret|BigInt/);
    }
  });

  it('need not be asked for', async () => {
    await ask('trial:admin');
    for (const event of ['trial:echo', 'trial:bug', 'nonsense']) socket.emit(event, { number: 3 });
    expect(await ask('trial:admin')).toEqual({ ok: true });
  });

  it('is RATE_LIMITED for who sends without waiting for answers', async () => {
    await ask('trial:admin');
    for (let sent = 0; sent < 5_000; sent++) socket.emit('trial:hold');
    expect(await ask('trial:admin')).toMatchObject({ ok: false, code: 'RATE_LIMITED' });
    const other = await connect(api.url, token);
    expect(await other.emitWithAck('trial:admin')).toEqual({ ok: true });
    TrialEvents.releases.splice(0).forEach((release) => release());
    expect(await ask('trial:admin')).toEqual({ ok: true });
  });
});

describe('what is not even Socket.IO', () => {
  it.each([
    ['an event whose name is a number', '420[7,{}]'],
    ['an event without anything', '420'],
  ])('%s is answered', async (_what, packet) => {
    expect(await sendRaw(packet)).toEqual([expect.objectContaining({ ok: false, code: 'BAD_REQUEST' })]);
  });

  it.each([
    ['an event that is no list', '42{}'],
    ['an event without a name', '420[]'],
    ['a name that the library keeps for itself', '42["disconnect"]'],
    ['half a message', '42["trial:echo",{'],
    ['an unknown kind of packet', '49'],
    ['attachments that nobody wants', '451000000-["trial:echo",{"_placeholder":true,"num":0}]'],
    ['bytes out of nowhere', new Uint8Array([1, 2, 3])],
    ['no packet at all', '💥'],
  ])('%s ends that connection and nothing else', async (_what, packet) => {
    const other = await connect(api.url, token);
    await expect(sendRaw(packet)).rejects.toThrow('The server hung up');
    expect(await other.emitWithAck('trial:admin')).toEqual({ ok: true });
  });

  it('an acknowledgement that nobody waits for is nothing', async () => {
    await expect(sendRaw('430["x"]', '421["trial:admin"]')).resolves.toEqual([{ ok: true }]);
  });

  it.each([['websocket'], ['polling']])('a message that is too large ends it, by %s', async (transport) => {
    const other = await connect(api.url, token);
    const sender = await connect(api.url, token, { transports: [transport] });
    const fits = { number: 3, anything: 'x'.repeat(1_000_000) };
    expect(await sender.emitWithAck('trial:echo', fits)).toMatchObject({ ok: true });
    const ends = ended(sender);
    sender.emit('trial:echo', { number: 3, anything: 'x'.repeat(1_300_000) });
    expect(['transport close', 'transport error']).toContain(await ends);
    expect(await other.emitWithAck('trial:admin')).toEqual({ ok: true });
  });
});

describe('a credential that is ended', () => {
  it('in the middle of the handshake ends what comes of it', async () => {
    const { token: going } = await signInAs(api.url, 'viewer');
    const credentials = api.app.get(Credentials);
    const { identify } = credentials;
    const heard = new Promise<void>((resolve) =>
      api.runtime.bus.subscribe(CREDENTIALS_CHANGED, () => resolve()),
    );
    credentials.identify = async (looked) => {
      const caller = await identify.call(credentials, looked);
      credentials.identify = identify;
      await clientOf(api.url, going)('POST', '/api/auth/logout');
      await heard;
      return caller;
    };
    expect(await ended(await connect(api.url, going))).toBe('io server disconnect');
  });

  it('only in two months does not concern anybody yet', async () => {
    const { client } = await signIn(api.url);
    const { body } = await client('POST', '/api/api-keys', {
      name: 'long-lived',
      role: 'client',
      // Further than a timer can be set: one that is, fires at once.
      expiresAt: new Date(Date.now() + 60 * 86_400_000).toISOString(),
    });
    let asked = 0;
    const { database: handle } = api.runtime;
    const query = handle.query.bind(handle);
    handle.query = (statement) => {
      if (statement.name === 'remaining_time') asked++;
      return query(statement);
    };
    const holder = await connect(api.url, body.key as string);
    for (let turn = 0; turn < 50; turn++) {
      expect(await holder.timeout(5_000).emitWithAck('ui:subscribe')).toMatchObject({ ok: true });
    }
    handle.query = query;
    expect(asked).toBe(1);
  });

  it('while the database cannot be asked ends its connection later, and no other', async () => {
    const { token: going, id } = await signInAs(api.url, 'viewer');
    const { token: staying } = await signInAs(api.url, 'viewer');
    const [leaver, stayer] = [await connect(api.url, going), await connect(api.url, staying)];
    const credentials = api.app.get(Credentials);
    const { identify } = credentials;
    let failures = 0;
    const ends = ended(leaver);
    credentials.identify = (looked) => {
      if (++failures === 2) credentials.identify = identify;
      return Promise.reject(new Error(`not now: ${looked.length}`));
    };
    await database.query('UPDATE sessions SET ended_at = now() WHERE user_id = $1', [id]);
    await api.runtime.bus.publish(CREDENTIALS_CHANGED);
    await ends;
    expect(failures).toBe(2);
    expect(await stayer.emitWithAck('ui:subscribe')).toMatchObject({ ok: true });
  });
});

describe('connections are bounded', () => {
  it('per account', async () => {
    const { id, token: full } = await signInAs(api.url, 'viewer');
    const { adapter } = io().sockets;
    const others = Array.from({ length: 2_500 }, (_, other) => `other ${other}`);
    for (const other of others) adapter.addAll(other, new Set([accountRoom(id)]));
    expect(await refusal(api.url, { auth: { token: full } })).toBe('RATE_LIMITED');
    await connect(api.url, token);
    adapter.delAll(others[0]!);
    await connect(api.url, full);
    expect(await refusal(api.url, { auth: { token: full } })).toBe('RATE_LIMITED');
    for (const other of others) adapter.delAll(other);
  });

  it('per process', async () => {
    const { engine } = io();
    engine.clientsCount += 10_000;
    expect(await refusal(api.url, { auth: { token } })).toBe('websocket error');
    engine.clientsCount -= 10_000;
    await connect(api.url, token);
  });

  /** The server behind the sockets, to make it believe in more of them than there are. */
  const io = () => api.app.get(Sockets)['server']!;
});

it('connections and messages are counted', async () => {
  const heard = await subscribe(api.url, token);
  await api.runtime.database.record({ eventType: 'admin_action', actor: 'test', description: 'counted' });
  await heard.first(({ description }) => description === 'counted');
  const text = await api.app.get(Metrics).registry.metrics();
  expect(text).toMatch(/^muster_sockets_connected [1-9]/m);
  expect(text).toMatch(/^muster_socket_messages_total\{event="event:created"\} [1-9]/m);
});

/** Speaks the protocol by hand; resolves with the first acknowledgement after all packets were sent. */
async function sendRaw(...packets: (string | Uint8Array)[]): Promise<unknown[]> {
  const raw = new WebSocket(`${api.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  return new Promise((resolve, reject) => {
    raw.addEventListener('message', ({ data }) => {
      const packet = String(data);
      if (packet.startsWith('0')) raw.send(`40${JSON.stringify({ token })}`);
      if (packet.startsWith('40')) packets.forEach((message) => raw.send(message));
      if (packet.startsWith('43')) {
        resolve(JSON.parse(packet.slice(packet.indexOf('['))) as unknown[]);
        raw.close();
      }
    });
    raw.addEventListener('close', () => reject(new Error('The server hung up')));
  });
}
