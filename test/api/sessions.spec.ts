import { describe, expect, it } from '@jest/globals';
import { ADMIN } from '../support/api.js';
import { eventually } from '../support/eventually.js';
import { raceFor } from './support/race.js';
import { useApi, useSecondProcess } from './support/use-api.js';

const api = useApi();
const second = useSecondProcess(api);

/** Signals between processes take a millisecond or so; nobody has to wait for a cache to grow old. */
const AT_ONCE_MS = 1_000;

const isLive = async (token: string) => (await api.holding(token)('GET', '/api/auth/me')).status === 200;
const isLiveElsewhere = async (token: string) =>
  (await second.holding(token)('GET', '/api/auth/me')).status === 200;

/** Both processes have seen the token, and so remember whose it is. */
async function expectLive(token: string): Promise<void> {
  expect([await isLive(token), await isLiveElsewhere(token)]).toEqual([true, true]);
}

async function expectEnded(token: string): Promise<void> {
  // The process that said "done" keeps to it from that moment on.
  expect(await isLive(token)).toBe(false);
  await eventually(
    () => isLiveElsewhere(token),
    (live) => !live,
    AT_ONCE_MS,
  );
}

it('a token is good at every process: the secret that the first one made is shared through the database', async () => {
  const { token } = await api.user('viewer');
  await expectLive(token);
  const secrets = await api.database.query<{ name: string; value: string }>(
    'SELECT name, value FROM server_secrets',
  );
  expect(secrets).toEqual([{ name: 'jwt', value: expect.stringMatching(/^[\w-]{64}$/) }]);
});

describe('a session ends everywhere', () => {
  it('with the sign-out, and no other session with it', async () => {
    const { username, password, token, client } = await api.user('client');
    const other = (await api.signIn(username, password)).body.accessToken as string;
    await expectLive(token);
    expect(await client('POST', '/api/auth/logout')).toMatchObject({ status: 200, body: {} });
    await expectEnded(token);
    await expectLive(other);
  });

  it.each([
    ['the user is disabled', { disabled: true }],
    ['the user gets another role', { role: 'viewer' }],
    ['the user gets another password', { password: 'another pass phrase' }],
  ])('when %s, and nobody else is troubled', async (_what, change) => {
    const [{ id, token }, bystander] = [await api.user('client'), await api.user('client')];
    await expectLive(token);
    await expectLive(bystander.token);
    expect((await api.admin('PATCH', `/api/users/${id}`, change)).status).toBe(200);
    await expectEnded(token);
    await expectLive(bystander.token);
  });

  it('but not when nothing that it rests on has changed', async () => {
    const { id, token } = await api.user('client');
    for (const change of [{}, { role: 'client' }, { disabled: false }]) {
      expect((await api.admin('PATCH', `/api/users/${id}`, change)).status).toBe(200);
      await expectLive(token);
    }
  });

  it('even where a signal could not tell: a process trusts its memory only as long as it hears', async () => {
    const { token } = await api.user('client');
    await expectLive(token);
    await api.database.query('UPDATE sessions SET ended_at = now()');
    await api.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'muster-api signals' AND datname = current_database()`,
    );
    await eventually(
      () => isLive(token),
      (live) => !live,
      5_000,
    );
    await eventually(
      () => isLiveElsewhere(token),
      (live) => !live,
      5_000,
    );
    await api.database.query('UPDATE sessions SET ended_at = NULL');
  });
});

describe('after a change of the user', () => {
  it('the former password is refused and the new one is good', async () => {
    const { id, username, password } = await api.user('client');
    const [before] = (await api.admin('GET', '/api/users?limit=1')).body.items;
    const changed = await api.admin('PATCH', `/api/users/${id}`, { password: 'another pass phrase' });
    expect(Date.parse(changed.body.passwordChangedAt)).toBeGreaterThan(Date.parse(before.passwordChangedAt));
    expect((await api.signIn(username, password)).status).toBe(401);
    expect((await api.signIn(username, 'another pass phrase')).status).toBe(200);
  });

  it('who is disabled stays out until enabled again', async () => {
    const { id, username, password } = await api.user('client');
    const disabled = await api.admin('PATCH', `/api/users/${id}`, { disabled: true });
    expect(disabled.body.disabledAt).toEqual(expect.any(String));
    expect((await api.signIn(username, password)).status).toBe(401);
    const enabled = await api.admin('PATCH', `/api/users/${id}`, { disabled: false });
    expect(enabled.body.disabledAt).toBeNull();
    expect((await api.signIn(username, password)).status).toBe(200);
  });

  it('the next session has the new role', async () => {
    const { id, username, password } = await api.user('viewer');
    await api.admin('PATCH', `/api/users/${id}`, { role: 'admin' });
    const token = (await api.signIn(username, password)).body.accessToken as string;
    expect((await api.holding(token)('GET', '/api/users')).status).toBe(200);
  });
});

describe('the last administrator', () => {
  const removeOtherAdmins = (id: string) =>
    api.database.query(`UPDATE users SET disabled_at = now() WHERE role = 'admin' AND user_id <> $1`, [id]);

  it.each([
    ['cannot be disabled', { disabled: true }],
    ['cannot get another role', { role: 'viewer' }],
  ])('%s', async (_what, change) => {
    const me = (await api.admin('GET', '/api/auth/me')).body.user;
    await removeOtherAdmins(me.id);
    const refused = await api.admin('PATCH', `/api/users/${me.id}`, change);
    expect(refused).toMatchObject({ status: 409, body: { code: 'LAST_ADMIN', current: { role: 'admin' } } });
    expect((await api.admin('GET', '/api/auth/me')).body.user).toEqual(me);
    expect((await api.signIn(ADMIN.username, ADMIN.password)).status).toBe(200);
  });

  it('remains, even if two take the right from each other at the same moment', async () => {
    const me = (await api.admin('GET', '/api/auth/me')).body.user;
    await removeOtherAdmins(me.id);
    const other = await api.user('admin');
    const answers = await raceFor(api.database, `SELECT 1 FROM users WHERE role = 'admin' FOR UPDATE`, () => [
      api.admin('PATCH', `/api/users/${other.id}`, { role: 'viewer' }),
      other.client('PATCH', `/api/users/${me.id}`, { role: 'viewer' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const admins = `SELECT username FROM users WHERE role = 'admin' AND disabled_at IS NULL`;
    expect(await api.database.query(admins)).toHaveLength(1);
  });
});
