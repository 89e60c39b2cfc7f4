import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type ApiProcess } from '../support/api.js';
import { clientOf, signIn, type Client } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { closeSockets, connect, ended, refusal, signInAs } from './sockets.js';

let database: TestDatabase;
let here: ApiProcess;
let there: ApiProcess;
let admin: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  here = await startApi(database.url);
  there = await startApi(database.url);
  ({ client: admin } = await signIn(here.url));
});
afterEach(closeSockets);
afterAll(async () => {
  await here?.stop();
  await there?.stop();
  await database?.drop();
});

/** Sockets on both processes. */
function connectToBoth(token: string) {
  return Promise.all([connect(here.url, token), connect(there.url, token)]);
}

describe('a connection ends', () => {
  it('with the session, at its sign-out, on every process, and no other with it', async () => {
    const { token } = await signInAs(here.url, 'viewer');
    const { token: another } = await signInAs(here.url, 'viewer');
    const own = await connectToBoth(token);
    const others = await connectToBoth(another);

    const ends = Promise.all(own.map(ended));
    await clientOf(there.url, token)('POST', '/api/auth/logout');
    expect(await ends).toEqual(['io server disconnect', 'io server disconnect']);
    expect(await refusal(here.url, { auth: { token } })).toBe('UNAUTHORIZED');

    for (const socket of others) expect(await socket.emitWithAck('ui:subscribe')).toMatchObject({ ok: true });
  });

  it('at a sign-out of that session alone, although the same user has others', async () => {
    const first = await signIn(here.url);
    const second = await signIn(here.url);
    const going = await connect(here.url, first.token);
    const staying = await connect(here.url, second.token);
    const ends = ended(going);
    await first.client('POST', '/api/auth/logout');
    await ends;
    expect(await staying.emitWithAck('ui:subscribe')).toMatchObject({ ok: true });
  });

  it('when its user gets another role', async () => {
    const { id, token } = await signInAs(here.url, 'client');
    const ends = Promise.all((await connectToBoth(token)).map(ended));
    expect((await admin('PATCH', `/api/users/${id}`, { role: 'guest' })).status).toBe(200);
    await ends;
  });

  it('when its user is excluded', async () => {
    const { id, token } = await signInAs(here.url, 'client');
    const ends = Promise.all((await connectToBoth(token)).map(ended));
    expect((await admin('PATCH', `/api/users/${id}`, { disabled: true })).status).toBe(200);
    await ends;
  });

  it('when its API key is revoked', async () => {
    const { body } = await admin('POST', '/api/api-keys', { name: 'to be revoked', role: 'client' });
    const ends = Promise.all((await connectToBoth(body.key as string)).map(ended));
    expect((await admin('DELETE', `/api/api-keys/${body.id}`)).status).toBe(204);
    await ends;
  });

  it('when its API key expires', async () => {
    const { body } = await admin('POST', '/api/api-keys', {
      name: 'short-lived',
      role: 'client',
      expiresAt: new Date(Date.now() + 1_500).toISOString(),
    });
    const socket = await connect(here.url, body.key as string);
    expect(await ended(socket)).toBe('io server disconnect');
    const [row] = await database.query(
      'SELECT clock_timestamp() >= expires_at AS expired FROM api_keys WHERE api_key_id = $1',
      [body.id],
    );
    expect(row).toEqual({ expired: true });
    expect(await refusal(here.url, { auth: { token: body.key as string } })).toBe('UNAUTHORIZED');
  });

  it('when its session expires, by the clock of the database', async () => {
    const brief = await startApi(database.url, { MUSTER_JWT_TTL_S: '1' });
    try {
      const { token } = await signIn(brief.url);
      expect(await ended(await connect(brief.url, token))).toBe('io server disconnect');
      const [row] = await database.query(
        "SELECT clock_timestamp() >= max(expires_at) AS expired FROM sessions WHERE ended_at IS NULL AND expires_at < created_at + interval '10 s'",
      );
      expect(row).toEqual({ expired: true });
    } finally {
      await brief.stop();
    }
  });

  it('when what ended it was signalled while nobody listened', async () => {
    const { id, token } = await signInAs(here.url, 'viewer');
    const { token: another } = await signInAs(here.url, 'viewer');
    const own = await connectToBoth(token);
    const others = await connectToBoth(another);
    const ends = Promise.all(own.map(ended));
    // As if the signal had been lost: the row changes, and then the listening connections break.
    await database.query('UPDATE sessions SET ended_at = now() WHERE user_id = $1', [id]);
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'muster-api signals'`,
    );
    await ends;
    for (const socket of others) expect(await socket.emitWithAck('ui:subscribe')).toMatchObject({ ok: true });
  });
});
