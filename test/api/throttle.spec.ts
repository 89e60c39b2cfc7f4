import { describe, expect, it } from '@jest/globals';
import { ADMIN } from '../support/api.js';
import { refusal, useApi, useSecondProcess } from './support/use-api.js';

const api = useApi();
const second = useSecondProcess(api);

let hosts = 0;
/** As a proxy would say it: the test's own address is one that is trusted. */
const from = (address: string) => ({ 'x-forwarded-for': address });
const newAddress = () => `198.51.100.${++hosts}`;
const fail = (username: string, address: string) => api.signIn(username, 'not the password', from(address));

/** The window is over, by the clock of the database. */
const endWindow = (bucket: string) =>
  api.database.query('UPDATE sign_in_throttles SET window_ends_at = now() WHERE bucket = $1', [bucket]);

describe('failed sign-ins are limited', () => {
  it('per user, from wherever they come, and whatever the password then is', async () => {
    const [victim, other] = [await api.user('client'), await api.user('client')];
    for (let attempt = 0; attempt < 10; attempt++) {
      const name = attempt % 2 ? victim.username : victim.username.toUpperCase();
      expect(refusal(await fail(name, newAddress()))).toBe('401 UNAUTHORIZED');
    }
    const refused = await api.signIn(victim.username, victim.password, from(newAddress()));
    expect(refusal(refused)).toBe('429 TOO_MANY_ATTEMPTS');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused.headers.getSetCookie()).toEqual([]);

    // At every process, and nobody else.
    const elsewhere = await second.nobody('POST', '/api/auth/login', {
      username: victim.username,
      password: victim.password,
    });
    expect(refusal(elsewhere)).toBe('429 TOO_MANY_ATTEMPTS');
    expect((await api.signIn(other.username, other.password)).status).toBe(200);
    // Whoever is signed in stays so.
    expect((await victim.client('GET', '/api/auth/me')).status).toBe(200);

    await endWindow(`user:${victim.username}`);
    expect((await api.signIn(victim.username, victim.password)).status).toBe(200);
  });

  it('per address, whatever the names are', async () => {
    const address = newAddress();
    const guesses = Array.from({ length: 30 }, (_, guess) => fail(`name-${guess}`, address));
    for (const guess of await Promise.all(guesses)) expect(refusal(guess)).toBe('401 UNAUTHORIZED');
    const refused = await api.signIn(ADMIN.username, ADMIN.password, from(address));
    expect(refusal(refused)).toBe('429 TOO_MANY_ATTEMPTS');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.signIn(ADMIN.username, ADMIN.password, from(newAddress()))).status).toBe(200);

    await endWindow(`address:${address}`);
    expect((await api.signIn(ADMIN.username, ADMIN.password, from(address))).status).toBe(200);
  });

  it('and start from nothing in a new window', async () => {
    const { username, password } = await api.user('client');
    for (let attempt = 0; attempt < 9; attempt++) await fail(username, newAddress());
    await endWindow(`user:${username}`);
    for (let attempt = 0; attempt < 9; attempt++) await fail(username, newAddress());
    expect((await api.signIn(username, password)).status).toBe(200);
  });

  it('while those that succeed are not', async () => {
    const { username, password } = await api.user('client');
    for (let attempt = 0; attempt < 12; attempt++) {
      expect((await api.signIn(username, password)).status).toBe(200);
    }
  });

  it('by the address that the nearest trusted proxy saw, not by what the caller says', async () => {
    const real = newAddress();
    for (let attempt = 0; attempt < 30; attempt++) await fail(`n-${attempt}`, `10.9.8.${attempt}, ${real}`);
    const refused = await api.signIn(ADMIN.username, ADMIN.password, from(`10.9.9.9, ${real}`));
    expect(refusal(refused)).toBe('429 TOO_MANY_ATTEMPTS');
  });
});
