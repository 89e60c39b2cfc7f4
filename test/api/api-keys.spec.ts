import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { roles } from '@muster/domain/roles';
import { eventually } from '../support/eventually.js';
import { refusal, useApi, useSecondProcess } from './support/use-api.js';

const api = useApi();
const second = useSecondProcess(api);

interface Key {
  readonly id: string;
  readonly key: string;
}

async function create(more: object = {}): Promise<Key> {
  const { status, body } = await api.admin('POST', '/api/api-keys', {
    name: 'deploy',
    role: 'client',
    ...more,
  });
  expect(status).toBe(201);
  return body as Key;
}

const isLive = async ({ key }: Key) => (await api.holding(key)('GET', '/api/auth/me')).status === 200;
const isLiveElsewhere = async ({ key }: Key) =>
  (await second.holding(key)('GET', '/api/auth/me')).status === 200;

async function recordOf({ id }: Key) {
  const { body } = await api.admin('GET', '/api/api-keys?limit=500');
  return (body.items as Array<{ id: string; lastUsedAt: string | null; revokedAt: string | null }>).find(
    (item) => item.id === id,
  )!;
}

describe('an API key', () => {
  it('is shown once, and kept by nobody', async () => {
    const created = await create({ name: 'shown once' });
    expect(created).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^mst_[\w-]{43}$/),
      name: 'shown once',
      role: 'client',
      createdBy: 'user:admin',
      createdAt: expect.any(String),
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
    });
    const { key: _key, ...record } = created;
    expect(await recordOf(created)).toEqual(record);
    const [row] = await api.database.query<{ key_hash: Buffer }>(
      'SELECT key_hash FROM api_keys WHERE api_key_id = $1',
      [created.id],
    );
    expect(row!.key_hash).toEqual(createHash('sha256').update(created.key).digest());
    const [dump] = await api.database.query<{ text: string }>(
      `SELECT string_agg(t::text, ' ') AS text FROM (
         SELECT to_json(k) FROM api_keys k UNION ALL SELECT to_json(e) FROM system_events e
         UNION ALL SELECT to_json(i) FROM idempotency_keys i) AS rows(t)`,
    );
    expect(dump!.text).toContain('shown once');
    expect(dump!.text).not.toContain(created.key.slice(4));
  });

  it.each(roles)('may do what its role may: %s', async (role) => {
    const key = await create({ role, name: `key of a ${role}` });
    const { body } = await api.holding(key.key)('GET', '/api/auth/me');
    expect(body).toEqual({ user: { id: key.id, username: `key of a ${role}`, role }, expiresAt: null });
  });

  it('is an account of its own, and an administrator by the name of its key', async () => {
    const { key } = await create({ role: 'admin', name: 'robot' });
    const made = await api.holding(key)('POST', '/api/api-keys', { name: 'made by a robot', role: 'viewer' });
    expect(made.body.createdBy).toBe('api-key:robot');
  });

  it('shows when it was used, to the minute', async () => {
    const key = await create();
    expect((await recordOf(key)).lastUsedAt).toBeNull();
    await isLive(key);
    const first = (await recordOf(key)).lastUsedAt!;
    expect(Math.abs(Date.now() - Date.parse(first))).toBeLessThan(60_000);
    await isLiveElsewhere(key);
    expect((await recordOf(key)).lastUsedAt).toBe(first);
    await api.database.query(
      `UPDATE api_keys SET last_used_at = now() - interval '2 minutes' WHERE api_key_id = $1`,
      [key.id],
    );
    // Nobody remembers it any more, so the next use is noted again.
    await api.admin('DELETE', `/api/api-keys/${(await create()).id}`);
    await isLive(key);
    expect(Date.parse((await recordOf(key)).lastUsedAt!)).toBeGreaterThanOrEqual(Date.parse(first));
  });

  it('ends when its time is over, by the clock of the database', async () => {
    const key = await create({ expiresAt: '2099-01-01T00:00:00Z' });
    await api.database.query('UPDATE api_keys SET expires_at = now() WHERE api_key_id = $1', [key.id]);
    expect(await isLive(key)).toBe(false);
  });

  it('says when that is', async () => {
    const { key } = await create({ expiresAt: '2099-01-01T00:00:00Z' });
    expect((await api.holding(key)('GET', '/api/auth/me')).body.expiresAt).toBe('2099-01-01T00:00:00.000Z');
  });

  it('cannot have expired before it was made', async () => {
    const past = { name: 'late', role: 'client', expiresAt: '2020-01-01T00:00:00Z' };
    const refused = await api.admin('POST', '/api/api-keys', past);
    expect([refusal(refused), refused.body.errors[0].field]).toEqual(['422 EXPIRED', 'expiresAt']);
    expect(await api.database.query(`SELECT 1 FROM api_keys WHERE name = 'late'`)).toEqual([]);
  });

  it('is revoked at once, everywhere, and stays in the list', async () => {
    const key = await create();
    expect([await isLive(key), await isLiveElsewhere(key)]).toEqual([true, true]);
    expect((await api.admin('DELETE', `/api/api-keys/${key.id}`)).status).toBe(204);
    expect(await isLive(key)).toBe(false);
    await eventually(
      () => isLiveElsewhere(key),
      (live) => !live,
      1_000,
    );
    const { revokedAt } = await recordOf(key);
    expect(revokedAt).toEqual(expect.any(String));
    expect((await api.admin('DELETE', `/api/api-keys/${key.id}`)).status).toBe(204);
    expect((await recordOf(key)).revokedAt).toBe(revokedAt);
  });

  it('is not ended by a sign-out: that is for sessions', async () => {
    const key = await create();
    expect((await api.holding(key.key)('POST', '/api/auth/logout')).status).toBe(200);
    expect(await isLive(key)).toBe(true);
  });

  it.each(['mst_', 'mst_x', `mst_${'A'.repeat(43)}`, `mst_${"' OR true --"}`])(
    'cannot be guessed: %s',
    async (key) => {
      expect(await isLive({ id: '', key })).toBe(false);
    },
  );
});
