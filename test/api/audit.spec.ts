import { describe, expect, it } from '@jest/globals';
import { ADMIN } from '../support/api.js';
import { eventually } from '../support/eventually.js';
import { useApi, type EventRow } from './support/use-api.js';

const api = useApi();
const from = (address: string) => ({ 'x-forwarded-for': address });

/** Denials are written beside the answer, not before it. */
const denialsOf = (actor: string, count = 1): Promise<EventRow[]> =>
  eventually(
    () => api.events(`actor = $1 AND event_type IN ('auth_failed', 'access_denied')`, [actor]),
    (events) => events.length >= count,
  );

describe('what an administrator does is an event, in the name of who did it', () => {
  const last = async () => (await api.events(`event_type = 'admin_action'`)).at(-1)!;

  it('users', async () => {
    const account = { username: 'newcomer', password: 'never to be seen again', role: 'viewer' };
    const { body: user } = await api.admin('POST', '/api/users', account);
    expect(await last()).toMatchObject({
      actor: 'user:admin',
      severity: 'info',
      description: 'User newcomer was created with the role viewer',
      event_data: { userId: user.id, username: 'newcomer', role: 'viewer' },
    });
    await api.admin('PATCH', `/api/users/${user.id}`, { role: 'client', password: 'nor shall this be' });
    expect(await last()).toMatchObject({
      actor: 'user:admin',
      description: 'User newcomer was changed',
      event_data: { userId: user.id, role: 'client', passwordChanged: true },
    });
    expect(JSON.stringify(await api.events())).not.toMatch(/never to be seen|nor shall this/);
  });

  it('API keys, and what is done with them', async () => {
    const { body: key } = await api.admin('POST', '/api/api-keys', { name: 'robot', role: 'admin' });
    expect(await last()).toMatchObject({
      actor: 'user:admin',
      description: 'API key robot was created with the role admin',
      event_data: { apiKeyId: key.id, name: 'robot', role: 'admin' },
    });
    const robot = api.holding(key.key as string);
    const { body: other } = await robot('POST', '/api/api-keys', { name: 'other', role: 'viewer' });
    await robot('DELETE', `/api/api-keys/${other.id}`);
    expect(await last()).toMatchObject({
      actor: 'api-key:robot',
      description: 'API key other was revoked',
      event_data: { apiKeyId: other.id, name: 'other' },
    });
  });

  it('but not what was refused', async () => {
    const before = await api.events(`event_type = 'admin_action'`);
    await api.admin('POST', '/api/users', { username: 'ADMIN', password: 'long enough', role: 'viewer' });
    await api.admin('POST', '/api/users', { username: 'x' });
    expect(await api.events(`event_type = 'admin_action'`)).toEqual(before);
  });

  it('and the first administrator came from somewhere, too', async () => {
    const [first] = await api.events(`event_type = 'admin_action'`);
    expect(first).toMatchObject({
      actor: 'system:start',
      description: 'The first administrator, admin, was made',
    });
  });
});

it('a sign-in is an event', async () => {
  await api.signIn(ADMIN.username, ADMIN.password, from('203.0.113.1'));
  const events = await api.events(`event_type = 'signed_in'`);
  expect(events.at(-1)).toMatchObject({
    actor: 'user:admin',
    description: 'admin signed in',
    event_data: { address: '203.0.113.1', role: 'admin' },
  });
});

describe('a denial is an event', () => {
  it('of a sign-in that failed', async () => {
    await api.signIn('admin', 'not the password', from('203.0.113.2'));
    expect(await denialsOf('address:203.0.113.2')).toMatchObject([
      {
        event_type: 'auth_failed',
        severity: 'warning',
        description: 'A sign-in as admin failed',
        event_data: { username: 'admin', count: 1 },
      },
    ]);
  });

  it('of a credential that is none', async () => {
    await api.holding('mst_made-up')('GET', '/api/users', undefined, from('203.0.113.3'));
    expect(await denialsOf('address:203.0.113.3')).toMatchObject([
      {
        event_type: 'auth_failed',
        description: 'A credential was refused',
        event_data: { route: '/api/users' },
      },
    ]);
  });

  it('of a role that may not', async () => {
    const { username, client } = await api.user('viewer');
    await client('POST', '/api/users', {});
    expect(await denialsOf(`user:${username}`)).toMatchObject([
      {
        event_type: 'access_denied',
        description: 'POST /api/users was refused to the role viewer',
        event_data: { method: 'POST', route: '/api/users', role: 'viewer' },
      },
    ]);
  });

  it('of a page of another site', async () => {
    const foreign = { origin: 'https://elsewhere.example', ...from('203.0.113.4') };
    await api.signIn(ADMIN.username, ADMIN.password, foreign);
    expect(await denialsOf('address:203.0.113.4')).toMatchObject([
      { event_type: 'access_denied', event_data: { origin: 'https://elsewhere.example' } },
    ]);
  });

  it('of a guest where there are none', async () => {
    await api.nobody('POST', '/api/auth/guest', { username: 'Gerd' }, from('203.0.113.5'));
    expect(await denialsOf('address:203.0.113.5')).toMatchObject([
      { event_type: 'access_denied', event_data: { username: 'Gerd' } },
    ]);
  });
});

describe('denials are told once per source and minute, with their number', () => {
  it('so that a stranger cannot fill the table', async () => {
    for (let attempt = 0; attempt < 25; attempt++) {
      await api.holding(`mst_${attempt}`)('GET', '/api/users', undefined, from('203.0.113.6'));
    }
    await api.holding('mst_x')('GET', '/api/users', undefined, from('203.0.113.7'));
    await denialsOf('address:203.0.113.7');
    expect(await denialsOf('address:203.0.113.6')).toHaveLength(1);
  });

  it('also those of a sign-in that was not even tried any more', async () => {
    for (let attempt = 0; attempt < 14; attempt++) {
      await api.signIn('harald', 'not the password', from('203.0.113.8'));
    }
    expect(await denialsOf('address:203.0.113.8')).toHaveLength(1);
  });

  it('and none is lost when the process ends within the minute', async () => {
    await api.process.stop();
    const counts = async (actor: string) =>
      (await denialsOf(actor)).map(({ event_data }) => event_data!.count);
    expect(await counts('address:203.0.113.6')).toEqual([1, 24]);
    expect(await counts('address:203.0.113.7')).toEqual([1]);
    expect(await counts('address:203.0.113.8')).toEqual([1, 13]);
    const [, summary] = await denialsOf('address:203.0.113.6');
    expect(summary!.description).toBe('24 more within a minute of this: A credential was refused');
  });
});
