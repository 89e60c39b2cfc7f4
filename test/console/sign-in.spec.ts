import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openBrowser } from '../support/browser.js';
import type { TestBrowser } from '../support/browser.js';
import { startProduct } from '../support/product.js';
import type { Product } from '../support/product.js';
import { pagePaths } from './pages.js';
import { appears, liveBadge, signIn, signOut, submitSignIn, untilLive } from './visitor.js';
import type { Credentials } from './visitor.js';

describe('signing in', () => {
  let product: Product;
  let browser: TestBrowser;
  let admin: Credentials;
  let page: Page;

  beforeAll(async () => {
    [product, browser] = await Promise.all([startProduct(), openBrowser()]);
    admin = { username: product.adminUser, password: product.adminPassword };
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });
  beforeEach(async () => {
    ({ page } = await browser.newPage());
  });
  afterEach(() => page.context().close());

  const at = (path: string) => product.consoleUrl + path;
  const alert = () => page.getByRole('main').getByRole('alert');

  it('says that the password is wrong, and lets one try again', async () => {
    await page.goto(at('/'));
    await submitSignIn(page, { ...admin, password: 'not the password' });
    await alert().getByText('User name or password is wrong.').waitFor();
    await submitSignIn(page, admin);
    await untilLive(page);
    expect(page.url()).toBe(at('/'));
  });

  it('goes back to where one came from, filters and all', async () => {
    await page.goto(at('/tasks?status=failed'));
    await submitSignIn(page, admin);
    await page.waitForURL(at('/tasks?status=failed'));
    expect(await appears(page.getByRole('button', { name: 'Failed', pressed: true }))).toBe(true);
  });

  it.each(['https://elsewhere.example/', '//elsewhere.example/', '/\\elsewhere.example', '/api/auth/me'])(
    'does not go on to %s',
    async (from) => {
      await page.goto(at(`/sign-in?from=${encodeURIComponent(from)}`));
      await submitSignIn(page, admin);
      await untilLive(page);
      expect(page.url()).toBe(at('/'));
    },
  );

  it('keeps the token where scripts cannot read it', async () => {
    await signIn(page, product.consoleUrl, admin);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: 'muster_session', httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(await page.evaluate('document.cookie')).toBe('');
    const stored = await page.evaluate('JSON.stringify([localStorage, sessionStorage])');
    expect(stored).not.toContain(cookie!.value);
  });

  it('asks whoever is signed in already for nothing', async () => {
    await signIn(page, product.consoleUrl, admin);
    await page.goto(at('/sign-in?from=%2Fevents'));
    expect(page.url()).toBe(at('/events'));
  });

  it.each(pagePaths())('%s needs a session', async (path) => {
    const answer = await page.request.get(at(path), { maxRedirects: 0 });
    expect(answer.status()).toBe(307);
    expect(answer.headers().location).toMatch(/^\/sign-in/);
    expect(await answer.text()).not.toContain('aria-label="Main"');
  });

  it('does not believe a made-up cookie', async () => {
    await page
      .context()
      .addCookies([{ name: 'muster_session', value: 'made.up.token', url: product.consoleUrl }]);
    await page.goto(at('/managers'));
    expect(page.url()).toBe(at('/sign-in?from=%2Fmanagers'));
  });

  it('signs out, here and on the server', async () => {
    await signIn(page, product.consoleUrl, admin);
    const [cookie] = await page.context().cookies();
    await signOut(page);
    expect(await page.context().cookies()).toEqual([]);

    await page.context().addCookies([cookie!]);
    await page.goto(at('/'));
    await page.getByRole('heading', { name: 'Sign in to Muster' }).waitFor();
  });

  it('sends a page that is open to the sign-in when its session ends elsewhere', async () => {
    await signIn(page, product.consoleUrl, admin);
    await page.goto(at('/events'));
    await untilLive(page);
    const other = await page.context().newPage();
    await other.goto(at('/'));
    await untilLive(other);
    await signOut(other);
    expect(await appears(page.getByRole('heading', { name: 'Sign in to Muster' }))).toBe(true);
    expect(page.url()).toBe(at('/sign-in?from=%2Fevents'));
  });

  it('says how long to wait after too many attempts', async () => {
    const mallory = { username: 'mallory', password: 'a guess' };
    await page.goto(at('/sign-in'));
    for (
      let attempt = 0;
      attempt < 15 && !(await alert().getByText('Too many attempts').isVisible());
      attempt++
    ) {
      const answered = page.waitForResponse('**/api/auth/login');
      await submitSignIn(page, mallory);
      await answered;
      await alert().waitFor();
    }
    expect(await alert().textContent()).toMatch(/^Too many attempts\. Try again in \d+ (seconds|minutes)\.$/);
  });

  it('says when the API is away, and goes on when it is back', async () => {
    await page.goto(at('/sign-in'));
    await product.api.stop();
    await submitSignIn(page, admin);
    await alert().getByText('The API does not answer.').waitFor();
    await product.api.start();
    await submitSignIn(page, admin);
    expect(await appears(liveBadge(page))).toBe(true);
  });
});
