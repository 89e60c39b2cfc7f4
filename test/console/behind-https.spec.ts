import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clientOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startProduct } from '../support/product.js';
import type { Product } from '../support/product.js';

/** What a balancer that ends https says to the console behind it. */
const HTTPS = { 'x-forwarded-proto': 'https' };

describe('the console behind https', () => {
  let product: Product;
  let console: Client;
  let setCookie: string;
  let cookie: string;

  beforeAll(async () => {
    product = await startProduct();
    console = clientOf(product.consoleUrl);
    const credentials = { username: product.adminUser, password: product.adminPassword };
    const { headers } = await console('POST', '/api/auth/login', credentials, HTTPS);
    setCookie = headers.get('set-cookie') ?? '';
    cookie = setCookie.split(';', 1)[0]!;
  });
  afterAll(() => product?.stop());

  it('signs in with a cookie that only https carries', () => {
    expect(setCookie).toMatch(/^__Host-muster_session=[^;]+;.* Secure/);
  });

  it('shows its pages to whoever is signed in', async () => {
    expect((await console('GET', '/api/auth/me', undefined, { ...HTTPS, cookie })).status).toBe(200);
    expect((await console('GET', '/', undefined, { ...HTTPS, cookie })).status).toBe(200);
  });

  it.each<[string, () => Record<string, string>]>([
    ['without the cookie', () => HTTPS],
    ['with the cookie over http', () => ({ cookie })],
    ['with the cookie of http', () => ({ ...HTTPS, cookie: cookie.replace('__Host-', '') })],
  ])('sends others to sign in: %s', async (_case, headers) => {
    const answer = await console('GET', '/', undefined, headers());
    expect(answer.status).toBe(307);
    expect(answer.headers.get('location')).toMatch(/^\/sign-in/);
  });

  it('does not ask for the password twice', async () => {
    const answer = await console('GET', '/sign-in', undefined, { ...HTTPS, cookie });
    expect(answer.status).toBe(307);
    expect(answer.headers.get('location')).toBe('/');
  });
});
