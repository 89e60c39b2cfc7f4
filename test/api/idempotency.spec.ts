import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { raceFor } from './support/race.js';
import { useApi, useSecondProcess } from './support/use-api.js';

const api = useApi({ MUSTER_GUESTS: 'true' });
const second = useSecondProcess(api);

interface RawAnswer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  readonly replayed: boolean;
}

let adminToken: string | undefined;

/** The answer as it went over the wire. */
async function send(
  key: string,
  body: object,
  { url = api.url, path = '/api/users', method = 'POST', token = '' } = {},
) {
  adminToken ??= (await api.user('admin')).token;
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token || adminToken}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  });
  const answer: RawAnswer = {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
    replayed: response.headers.has('idempotency-replayed'),
  };
  return answer;
}

const newUser = (username = `user-${randomUUID().slice(0, 8)}`) => ({
  username,
  password: 'long enough',
  role: 'client',
});
const onTheWire = ({ replayed: _, ...answer }: RawAnswer) => answer;
const codeOf = ({ text }: RawAnswer) => JSON.parse(text).code as string;

async function effectsOf(username: string) {
  const [row] = await api.database.query<{ users: number; events: number }>(
    `SELECT (SELECT count(*)::int FROM users WHERE username = $1) AS users,
            (SELECT count(*)::int FROM system_events
             WHERE event_type = 'admin_action' AND event_data->>'username' = $1) AS events`,
    [username],
  );
  return row!;
}

const keptOf = (key: string) =>
  api.database.query<{ status_code: number; request_hash: Buffer; seconds: number }>(
    `SELECT status_code, request_hash, extract(epoch FROM expires_at - now())::float8 AS seconds
     FROM idempotency_keys WHERE key = $1`,
    [key],
  );

describe('the same key and body', () => {
  it('give the same answer, byte for byte, and take effect once', async () => {
    const [key, user] = [randomUUID(), newUser()];
    const first = await send(key, user);
    expect([first.status, first.replayed]).toEqual([201, false]);
    for (const url of [api.url, second.url, api.url]) {
      const again = await send(key, user, { url });
      expect(again.replayed).toBe(true);
      expect(onTheWire(again)).toEqual(onTheWire(first));
    }
    expect(await effectsOf(user.username)).toEqual({ users: 1, events: 1 });
  });

  it('do so when both are under way at the same moment, at one process or two', async () => {
    for (const url of [api.url, second.url]) {
      const [key, user] = [randomUUID(), newUser()];
      const [one, two] = await raceFor(api.database, 'LOCK TABLE users IN SHARE MODE', () => [
        send(key, user),
        send(key, user, { url }),
      ]);
      expect(one!.status).toBe(201);
      expect(onTheWire(two!)).toEqual(onTheWire(one!));
      expect([one!.replayed, two!.replayed].sort()).toEqual([false, true]);
      expect(await effectsOf(user.username)).toEqual({ users: 1, events: 1 });
    }
  });

  it('give the same refusal, also when nothing would stand in the way any more', async () => {
    const [key, user] = [randomUUID(), newUser('taken')];
    await send(randomUUID(), user);
    const first = await send(key, user);
    expect([first.status, codeOf(first)]).toEqual([409, 'USERNAME_TAKEN']);
    await api.database.query(`UPDATE users SET username = 'given-up' WHERE username = 'taken'`);
    const again = await send(key, user);
    expect([again.replayed, again.type]).toEqual([true, 'application/problem+json; charset=utf-8']);
    expect(onTheWire(again)).toEqual(onTheWire(first));
    expect((await send(randomUUID(), user)).status).toBe(201);
  });

  it('also what only the database refuses', async () => {
    const { body: guest } = await api.nobody('POST', '/api/auth/guest', { username: 'Ida' });
    const [key, call] = [randomUUID(), { method: 'PATCH', path: `/api/users/${guest.user.id}` }];
    const first = await send(key, { role: 'admin' }, call);
    expect([first.status, codeOf(first)]).toEqual([422, 'UNACCEPTABLE_VALUE']);
    expect(onTheWire(await send(key, { role: 'admin' }, call))).toEqual(onTheWire(first));
    expect(await keptOf(key)).toMatchObject([{ status_code: 422 }]);
  });

  it('give two that are refused at the same moment the same answer', async () => {
    const [key, user] = [randomUUID(), newUser('wanted')];
    const taken = `INSERT INTO users (username, role) VALUES ('WANTED', 'guest')`;
    const [one, two] = await raceFor(api.database, taken, () => [send(key, user), send(key, user)]);
    expect([one!.status, codeOf(one!)]).toEqual([409, 'USERNAME_TAKEN']);
    expect(onTheWire(two!)).toEqual(onTheWire(one!));
  });
});

describe('the same key with something else', () => {
  it.each([
    ['another field', (user: object) => ({ ...user, role: 'viewer' }), {}],
    ['another password', (user: object) => ({ ...user, password: 'another one' }), {}],
    ['another call', () => ({ role: 'viewer' }), { method: 'PATCH', path: `/api/users/${randomUUID()}` }],
  ])('%s is 422', async (_what, change, call) => {
    const [key, user] = [randomUUID(), newUser()];
    const first = await send(key, user);
    const other = await send(key, change(user), call);
    expect([other.status, codeOf(other)]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    // And the first answer is not lost by that.
    expect(onTheWire(await send(key, user))).toEqual(onTheWire(first));
    expect(await effectsOf(user.username)).toEqual({ users: 1, events: 1 });
  });

  it('by another account is none of the first one’s business', async () => {
    const [key, one, two] = [randomUUID(), newUser(), newUser()];
    const { token } = await api.user('admin');
    expect([(await send(key, one)).status, (await send(key, two, { token })).status]).toEqual([201, 201]);
  });

  it('a day later is as good as a new one, by the clock of the database', async () => {
    const [key, one, two] = [randomUUID(), newUser(), newUser()];
    await send(key, one);
    const [kept] = await keptOf(key);
    expect(kept!.seconds).toBeGreaterThan(86_400 - 60);
    expect(kept!.seconds).toBeLessThanOrEqual(86_400);
    await api.database.query('UPDATE idempotency_keys SET expires_at = now() WHERE key = $1', [key]);
    const later = await send(key, two);
    expect([later.status, later.replayed]).toEqual([201, false]);
    expect(onTheWire(await send(key, two))).toEqual(onTheWire(later));
  });
});

describe('what is kept', () => {
  it('is nothing without a key', async () => {
    const count = () => api.database.query('SELECT count(*) FROM idempotency_keys');
    const before = await count();
    await api.admin('POST', '/api/users', newUser());
    expect(await count()).toEqual(before);
  });

  it('is no answer with a secret: each API key is a new one', async () => {
    const [key, call] = [randomUUID(), { path: '/api/api-keys' }];
    const first = await send(key, { name: 'a', role: 'viewer' }, call);
    const again = await send(key, { name: 'a', role: 'viewer' }, call);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(JSON.parse(first.text).key).not.toBe(JSON.parse(again.text).key);
    expect(await keptOf(key)).toEqual([]);
  });

  it('is no refusal of the caller', async () => {
    const [key, user] = [randomUUID(), newUser()];
    expect((await send(key, user, { token: 'mst_unknown' })).status).toBe(401);
    expect(await keptOf(key)).toEqual([]);
    expect((await send(key, user)).status).toBe(201);
  });

  it('is of no use to who wants to guess a password', async () => {
    const [one, two, user] = [randomUUID(), randomUUID(), newUser()];
    await send(one, user);
    await send(two, user);
    const hashes = [...(await keptOf(one)), ...(await keptOf(two))].map(({ request_hash }) =>
      request_hash.toString('hex'),
    );
    // Salted: the same request leaves another hash under another key.
    expect(new Set(hashes).size).toBe(2);
    const { password: _password, ...open } = user;
    const guesses = [user, open, { ...open, password: 'secret 1' }].map((body) => JSON.stringify(body));
    for (const text of [...guesses, ...guesses.map((guess) => `POST /api/users\n${guess}`)]) {
      expect(hashes).not.toContain(createHash('sha256').update(text).digest('hex'));
    }
    const [dump] = await api.database.query<{ text: string }>(
      `SELECT string_agg(to_json(i)::text, ' ') AS text FROM idempotency_keys i`,
    );
    expect(dump!.text).toContain(user.username);
    expect(dump!.text).not.toMatch(/long enough|password"|argon2/);
  });
});

it('a key has 1 to 255 characters', async () => {
  expect((await send('k'.repeat(255), newUser())).status).toBe(201);
  for (const key of ['k'.repeat(256), '']) {
    const refused = await send(key, newUser());
    expect([refused.status, codeOf(refused)]).toEqual([400, 'BAD_IDEMPOTENCY_KEY']);
  }
});
