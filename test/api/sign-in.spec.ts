import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ADMIN } from '../support/api.js';
import type { Answer } from '../support/client.js';
import { claimsOf, forge } from './support/token.js';
import { refusal, useApi, useSecondProcess } from './support/use-api.js';

const SECRET = 'a secret of sixty-four characters that both of the processes know';
const api = useApi({ MUSTER_GUESTS: 'true', MUSTER_JWT_SECRET: SECRET, MUSTER_JWT_TTL_S: '600' });
const second = useSecondProcess(api, { MUSTER_JWT_SECRET: SECRET, MUSTER_TRUSTED_PROXIES: '10.0.0.0/8' });

const HTTPS = { 'x-forwarded-proto': 'https' };
const signInAsAdmin = (headers?: Record<string, string>) =>
  api.signIn(ADMIN.username, ADMIN.password, headers);
const cookieOf = (answer: Answer) => answer.headers.getSetCookie()[0] ?? '';
const me = (headers: Record<string, string>) => api.nobody('GET', '/api/auth/me', undefined, headers);

describe('signing in', () => {
  it('answers a token, when it ends, and who one is', async () => {
    const { status, body } = await signInAsAdmin();
    expect(status).toBe(200);
    expect(body).toEqual({
      accessToken: expect.any(String),
      expiresAt: expect.any(String),
      user: { id: expect.any(String), username: ADMIN.username, role: 'admin' },
    });
    expect((await api.holding(body.accessToken)('GET', '/api/auth/me')).body).toEqual({
      user: body.user,
      expiresAt: body.expiresAt,
    });
    const [session] = await api.database.query<{ seconds: number }>(
      `SELECT extract(epoch FROM expires_at - created_at)::float8 AS seconds FROM sessions WHERE session_id = $1`,
      [claimsOf(body.accessToken).jti],
    );
    expect(session!.seconds).toBeCloseTo(600, 0);
  });

  it('takes a name in capitals or not, but takes no pattern for a name', async () => {
    const { username, password } = await api.user('client');
    expect((await api.signIn(username.toUpperCase(), password)).body.user.username).toBe(username);
    for (const pattern of ['%', username.replace('-', '_'), `${username.slice(0, 3)}%`, `${username} `]) {
      expect(refusal(await api.signIn(pattern, password))).toBe('401 UNAUTHORIZED');
    }
  });

  it('does not tell a wrong name from a wrong password, nor from a user that is disabled', async () => {
    const { id, username, password } = await api.user('client');
    const wrong = await api.signIn(username, 'not the password');
    const unknown = await api.signIn('nobody-of-that-name', password);
    await api.admin('PATCH', `/api/users/${id}`, { disabled: true });
    const disabled = await api.signIn(username, password);
    expect(refusal(wrong)).toBe('401 UNAUTHORIZED');
    expect([unknown.body, disabled.body]).toEqual([wrong.body, wrong.body]);
    expect([wrong, unknown, disabled].map(cookieOf)).toEqual(['', '', '']);
  });

  it('keeps the password as argon2id', async () => {
    const { id, password } = await api.user('client');
    const [row] = await api.database.query<{ password_hash: string }>(
      'SELECT password_hash FROM users WHERE user_id = $1',
      [id],
    );
    expect(row!.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(JSON.stringify(row)).not.toContain(password);
  });
});

describe('the cookie', () => {
  it('is out of reach for scripts and for other sites', async () => {
    const { headers, body } = await signInAsAdmin();
    expect(headers.getSetCookie()).toEqual([
      `muster_session=${body.accessToken}; Max-Age=600; Path=/; HttpOnly; SameSite=Strict`,
    ]);
  });

  it('is bound to https where a trusted proxy ends that', async () => {
    const { headers, body } = await signInAsAdmin(HTTPS);
    expect(headers.getSetCookie()).toEqual([
      `__Host-muster_session=${body.accessToken}; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Strict`,
    ]);
  });

  it('is not, where somebody else says that he ends it', async () => {
    const answer = await second.nobody('POST', '/api/auth/login', ADMIN, HTTPS);
    expect(cookieOf(answer)).toMatch(/^muster_session=/);
    expect(cookieOf(answer)).not.toMatch(/Secure/);
  });

  it('does for a token', async () => {
    const { body } = await signInAsAdmin();
    const plain = { cookie: `other=1; muster_session=${body.accessToken}` };
    const secure = { cookie: `__Host-muster_session=${body.accessToken}` };
    expect((await me(plain)).body.user.username).toBe(ADMIN.username);
    expect((await me({ ...HTTPS, ...secure })).body.user.username).toBe(ADMIN.username);
  });

  it('of http does not do over https, nor the other way round', async () => {
    const { body } = await signInAsAdmin();
    expect((await me({ ...HTTPS, cookie: `muster_session=${body.accessToken}` })).status).toBe(401);
    expect((await me({ cookie: `__Host-muster_session=${body.accessToken}` })).status).toBe(401);
  });

  it('goes with the sign-out', async () => {
    const { body } = await signInAsAdmin();
    const cookie = { cookie: `muster_session=${body.accessToken}`, 'sec-fetch-site': 'same-origin' };
    const answer = await api.nobody('POST', '/api/auth/logout', undefined, cookie);
    expect(cookieOf(answer)).toMatch(/^muster_session=; (Max-Age=0; )?Path=\/; Expires=Thu, 01 Jan 1970/);
    expect((await me(cookie)).status).toBe(401);
  });

  it('is replaced by the next sign-in, and what it was worth ends', async () => {
    const former = (await signInAsAdmin()).body.accessToken as string;
    const latter = (await signInAsAdmin({ cookie: `muster_session=${former}` })).body.accessToken as string;
    expect(latter).not.toBe(former);
    expect((await api.holding(former)('GET', '/api/auth/me')).status).toBe(401);
    expect((await api.holding(latter)('GET', '/api/auth/me')).status).toBe(200);
  });

  it('survives a sign-in that fails', async () => {
    const token = (await signInAsAdmin()).body.accessToken as string;
    await api.signIn('somebody', 'not the password', { cookie: `muster_session=${token}` });
    expect((await api.holding(token)('GET', '/api/auth/me')).status).toBe(200);
  });
});

describe('a token', () => {
  async function genuine() {
    const token = (await signInAsAdmin()).body.accessToken as string;
    return { token, claims: claimsOf(token) };
  }
  const statusOf = async (token: string) => (await api.holding(token)('GET', '/api/auth/me')).status;

  it('is good at every process that knows the secret', async () => {
    const { token, claims } = await genuine();
    expect((await second.holding(token)('GET', '/api/auth/me')).status).toBe(200);
    expect(await statusOf(forge(claims, SECRET))).toBe(200);
    expect(await api.database.query(`SELECT 1 FROM server_secrets WHERE name = 'jwt'`)).toEqual([]);
  });

  it.each([
    ['without a signature', (claims: object) => forge(claims, SECRET, { alg: 'none' })],
    ['signed with another secret', (claims: object) => forge(claims, 'x'.repeat(64))],
    ['signed with nothing', (claims: object) => forge(claims, '')],
    [
      'signed by another algorithm',
      (claims: object) => forge(claims, SECRET, { alg: 'HS512', hash: 'sha512' }),
    ],
    ['that lies about its algorithm', (claims: object) => forge(claims, SECRET, { alg: 'RS256' })],
    ['for another audience', (claims: object) => forge({ ...claims, aud: 'another' }, SECRET)],
    ['for no audience', (claims: object) => forge({ ...claims, aud: undefined }, SECRET)],
    ['of another issuer', (claims: object) => forge({ ...claims, iss: 'another' }, SECRET)],
    ['that never expires', (claims: object) => forge({ ...claims, exp: undefined }, SECRET)],
    ['that names no session', (claims: object) => forge({ ...claims, jti: undefined }, SECRET)],
    ['of a session that is none', (claims: object) => forge({ ...claims, jti: randomUUID() }, SECRET)],
    ['of a session that is no id', (claims: object) => forge({ ...claims, jti: "' OR true --" }, SECRET)],
  ])('%s is refused', async (_what, forged) => {
    const { claims } = await genuine();
    expect(await statusOf(forged(claims))).toBe(401);
  });

  it('with one character changed is refused, wherever that is', async () => {
    const { token } = await genuine();
    const [header, claims, signature] = token.split('.') as [string, string, string];
    const changed = (part: string, at: number) =>
      part.slice(0, at) + (part[at] === 'A' ? 'B' : 'A') + part.slice(at + 1);
    for (const tampered of [
      [changed(header, 5), claims, signature],
      [header, changed(claims, 20), signature],
      [header, claims, changed(signature, 10)],
      [header, claims, signature.slice(0, -4)],
      [header, claims],
      [header, claims, ''],
    ]) {
      expect(await statusOf(tampered.join('.'))).toBe(401);
    }
    expect(await statusOf(token)).toBe(200);
  });

  it('ends when its time is over, by the clock of the database', async () => {
    const { token, claims } = await genuine();
    await api.database.query('UPDATE sessions SET expires_at = now() WHERE session_id = $1', [claims.jti]);
    expect(await statusOf(token)).toBe(401);
  });
});

describe('guests', () => {
  const asGuest = (username: string) => api.nobody('POST', '/api/auth/guest', { username });

  it('sign in by name alone, where guests are let in', async () => {
    const answer = await asGuest('Anna Müller');
    expect([answer.status, answer.body.user]).toEqual([
      200,
      { id: expect.any(String), username: 'Anna Müller', role: 'guest' },
    ]);
    expect(cookieOf(answer)).toMatch(/^muster_session=.*HttpOnly; SameSite=Strict/);
    expect((await api.holding(answer.body.accessToken)('GET', '/api/auth/me')).body.user).toEqual(
      answer.body.user,
    );
  });

  it('are refused where they are not', async () => {
    expect(refusal(await second.nobody('POST', '/api/auth/guest', { username: 'Bea' }))).toBe(
      '403 GUESTS_DISABLED',
    );
  });

  it('may not take the name of a user, in whatever capitals', async () => {
    const { username } = await api.user('viewer');
    for (const name of [ADMIN.username, 'ADMIN', username, username.toUpperCase()]) {
      expect(refusal(await asGuest(name))).toBe('409 NAME_TAKEN');
    }
  });

  it('who come again, or two at once, are the same guest', async () => {
    const [one, two] = await Promise.all([asGuest('Carl'), asGuest('Carl')]);
    const three = await asGuest('carl');
    expect(new Set([one, two, three].map(({ body }) => body.user?.id)).size).toBe(1);
  });

  it('have no password to sign in with', async () => {
    await asGuest('Doris');
    expect(refusal(await api.signIn('Doris', 'anything at all'))).toBe('401 UNAUTHORIZED');
  });

  it('who were shut out stay out', async () => {
    const { body } = await asGuest('Emil');
    await api.admin('PATCH', `/api/users/${body.user.id}`, { disabled: true });
    expect(refusal(await asGuest('Emil'))).toBe('409 NAME_TAKEN');
  });

  it.each(['', ' ', ' padded ', 'line\nbreak', 'zero\u200bwidth', 'x'.repeat(65)])(
    'need a name that can be seen, not %p',
    async (name) => {
      expect(refusal(await asGuest(name))).toBe('400 VALIDATION_FAILED');
    },
  );
});

describe('a page of another site', () => {
  const create = (headers: Record<string, string>) => {
    const user = { username: `user-${randomUUID().slice(0, 8)}`, password: 'long enough', role: 'viewer' };
    return api.nobody('POST', '/api/users', user, headers);
  };
  const withCookie = async () => ({ cookie: `muster_session=${(await signInAsAdmin()).body.accessToken}` });
  const foreign = { origin: 'https://elsewhere.example' };

  it.each([
    ['cross-site, as browsers call it', { 'sec-fetch-site': 'cross-site' }],
    ['same-site, but not ours', { 'sec-fetch-site': 'same-site' }],
    ['of a foreign origin', foreign],
    ['of no origin that could be named', { origin: 'null' }],
    ['of our name at another port', { origin: 'http://127.0.0.1:1' }],
  ])('cannot change anything with the cookie: %s', async (_what, headers) => {
    expect(refusal(await create({ ...(await withCookie()), ...headers }))).toBe('403 CROSS_SITE');
  });

  it('but our own can, directly or through a trusted proxy', async () => {
    const cookie = await withCookie();
    expect((await create({ ...cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(201);
    expect((await create({ ...cookie, origin: api.url })).status).toBe(201);
    const proxied = { origin: 'https://muster.example', 'x-forwarded-host': 'muster.example' };
    expect((await create({ ...cookie, ...proxied })).status).toBe(201);
  });

  it('may lead to reading, which changes nothing', async () => {
    expect((await me({ ...(await withCookie()), 'sec-fetch-site': 'cross-site', ...foreign })).status).toBe(
      200,
    );
  });

  it('does not matter to who shows a token: no browser does that by itself', async () => {
    const authorization = `Bearer ${(await signInAsAdmin()).body.accessToken}`;
    expect((await create({ authorization, 'sec-fetch-site': 'cross-site', ...foreign })).status).toBe(201);
  });

  it('cannot sign anybody in, or out', async () => {
    expect(refusal(await signInAsAdmin(foreign))).toBe('403 CROSS_SITE');
    expect(refusal(await api.nobody('POST', '/api/auth/guest', { username: 'Frida' }, foreign))).toBe(
      '403 CROSS_SITE',
    );
    const cookie = await withCookie();
    expect(refusal(await api.nobody('POST', '/api/auth/logout', undefined, { ...cookie, ...foreign }))).toBe(
      '403 CROSS_SITE',
    );
    expect((await me(cookie)).status).toBe(200);
  });

  it('is told nothing by way of CORS', async () => {
    const { headers } = await me({ ...(await withCookie()), ...foreign });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });
});
