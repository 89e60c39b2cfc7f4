import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { openBrowser } from '../support/browser.js';
import type { TestBrowser, WatchedPage } from '../support/browser.js';
import { startProduct } from '../support/product.js';
import type { Product } from '../support/product.js';
import { pagePaths } from './pages.js';
import { signIn, untilLive } from './visitor.js';
import type { Credentials } from './visitor.js';

const axeSource = readFileSync(createRequire(path.resolve('package.json')).resolve('axe-core'), 'utf8');
const MOST_SCRIPT_BYTES = 300_000;

describe('the frame of the console', () => {
  let product: Product;
  let browser: TestBrowser;
  let admin: Credentials;

  beforeAll(async () => {
    [product, browser] = await Promise.all([startProduct(), openBrowser()]);
    admin = { username: product.adminUser, password: product.adminPassword };
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });

  const at = (path: string) => product.consoleUrl + path;

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    let visit: WatchedPage;

    beforeAll(async () => {
      visit = await browser.newPage({ colorScheme });
      await signIn(visit.page, product.consoleUrl, admin);
    });
    afterAll(() => visit.page.context().close());

    it.each(pagePaths())(
      '%s is accessible, and the content security policy had nothing to stop',
      async (path) => {
        const { page, violations, errors } = visit;
        await page.goto(at(path));
        await untilLive(page);
        await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' });
        expect(await seriousFindings(page)).toEqual([]);
        expect(violations).toEqual([]);
        expect(errors).toEqual([]);
      },
    );

    it('dialogs, menus and notices are, too', async () => {
      const { page, violations, errors } = visit;
      await page.goto(at('/settings/users'));
      await page.getByRole('button', { name: 'Appearance' }).click();
      await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await page.keyboard.press('Escape');

      await page.getByRole('button', { name: 'New user' }).click();
      await page.getByRole('dialog').getByLabel('User name').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Create user' }).click();
      expect(await seriousFindings(page)).toEqual([]);
      expect(violations).toEqual([]);
      expect(errors).toEqual([]);
    });
  });

  it('the sign-in page is accessible and clean', async () => {
    const { page, violations, errors } = await browser.newPage();
    await page.goto(at('/sign-in'));
    expect(await seriousFindings(page)).toEqual([]);
    expect([...violations, ...errors]).toEqual([]);
    await page.context().close();
  });

  it('follows the system, until one chooses, and remembers the choice without a flash', async () => {
    const { page } = await browser.newPage({ colorScheme: 'dark' });
    await signIn(page, product.consoleUrl, admin);
    expect(await schemeOf(page)).toBe('dark');
    await page.getByRole('button', { name: 'Appearance' }).click();
    await page.getByRole('menuitemradio', { name: 'Light' }).click();
    expect(await schemeOf(page)).toBe('light');

    // With no script but the one in the page itself: what it decides is what is seen first.
    await page.route('**/*.js', (route) => route.abort());
    await page.reload({ waitUntil: 'domcontentloaded' });
    expect(await schemeOf(page)).toBe('light');
    await page.context().close();
  });

  it('answers pages with a strict policy', async () => {
    const answers = await Promise.all([fetch(at('/sign-in')), fetch(at('/sign-in'))]);
    const [policy, other] = answers.map(({ headers }) => headers.get('content-security-policy') ?? '');
    expect(policy).toMatch(/script-src 'nonce-[\w+/=]+' 'strict-dynamic';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe-eval');
    expect(policy).not.toMatch(/(script-src|style-src) [^;]*unsafe-inline/);
    expect(policy).not.toBe(other);

    const { headers } = answers[0]!;
    expect(headers.get('cache-control')).toContain('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('camera=()');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it.each(['/metrics', '/readyz', '/api/../metrics'])('does not hand out the API’s %s', async (path) => {
    expect((await fetch(at(path))).status).toBe(404);
  });

  it('shows what is to come, but leads nowhere', async () => {
    const { page } = await browser.newPage();
    await signIn(page, product.consoleUrl, admin);
    const planned = page.getByRole('link', { name: 'Scheduler' });
    expect(await planned.getAttribute('aria-disabled')).toBe('true');
    await planned.focus();
    await page.getByRole('tooltip', { name: 'Not in this version yet' }).waitFor();
    await planned.click({ force: true });
    expect(page.url()).toBe(at('/'));
    await page.context().close();
  });

  it('can be reached past the navigation by keyboard', async () => {
    const { page } = await browser.newPage();
    await signIn(page, product.consoleUrl, admin);
    await page.goto(at('/tasks'));
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.context().close();
  });

  it('loads the overview with little script', async () => {
    const { page } = await browser.newPage();
    await signIn(page, product.consoleUrl, admin);
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.setCacheDisabled', { cacheDisabled: true });
    const scripts = new Set<string>();
    let bytes = 0;
    network.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script') scripts.add(requestId);
    });
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) bytes += encodedDataLength;
    });
    await page.reload({ waitUntil: 'networkidle' });
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(MOST_SCRIPT_BYTES);
    await page.context().close();
  });
});

/** What axe finds serious, shortened to what one needs to mend it. */
async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  // What fades in is judged at its end.
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

function schemeOf(page: Page): Promise<string | null> {
  return page.locator('html').getAttribute('data-mantine-color-scheme');
}
