import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openBrowser } from '../support/browser.js';
import type { TestBrowser } from '../support/browser.js';
import { startProduct } from '../support/product.js';
import type { Product } from '../support/product.js';
import { appears, liveBadge, rowOf, signIn, submitSignIn, untilLive } from './visitor.js';
import type { Credentials } from './visitor.js';

const vera: Credentials = { username: 'vera', password: 'a rather long pass phrase' };

describe('settings', () => {
  let product: Product;
  let browser: TestBrowser;
  let page: Page;

  beforeAll(async () => {
    [product, browser] = await Promise.all([startProduct(), openBrowser()]);
    ({ page } = await browser.newPage());
    await signIn(page, product.consoleUrl, { username: product.adminUser, password: product.adminPassword });
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });

  const at = (path: string) => product.consoleUrl + path;
  const dialog = () => page.getByRole('dialog');

  /** Who tries to sign in on another machine, and what comes of it. */
  async function visitAs(credentials: Credentials): Promise<Page> {
    const { page: other } = await browser.newPage();
    await other.goto(at('/sign-in'));
    await submitSignIn(other, credentials);
    return other;
  }

  describe('users', () => {
    it('makes a user who can sign in then', async () => {
      await page.goto(at('/settings/users'));
      await page.getByRole('button', { name: 'New user' }).click();
      await dialog().getByLabel('User name').fill(vera.username);
      await dialog().getByLabel('Password', { exact: true }).fill('short');
      await dialog().getByRole('button', { name: 'Create user' }).click();
      await dialog()
        .getByText(/at least \d+ characters/)
        .waitFor();

      await dialog().getByLabel('Password', { exact: true }).fill(vera.password);
      await dialog().getByLabel('Role').selectOption('viewer');
      await dialog().getByRole('button', { name: 'Create user' }).click();
      await dialog().waitFor({ state: 'detached' });
      await rowOf(page, 'vera').getByText('Viewer').waitFor();

      const other = await visitAs(vera);
      expect(await appears(liveBadge(other))).toBe(true);
      await other.context().close();
    });

    it('says when a name is taken', async () => {
      await page.getByRole('button', { name: 'New user' }).click();
      await dialog().getByLabel('User name').fill(vera.username);
      await dialog().getByLabel('Password', { exact: true }).fill(vera.password);
      await dialog().getByRole('button', { name: 'Create user' }).click();
      expect(await appears(dialog().getByRole('alert').getByText(/taken/i))).toBe(true);
      await dialog().getByRole('button', { name: 'Cancel' }).click();
    });

    it('changes role and password', async () => {
      await page.getByRole('button', { name: 'Change vera' }).click();
      await dialog().getByLabel('Role').selectOption('client');
      await dialog().getByLabel('New password', { exact: true }).fill('another long pass phrase');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await rowOf(page, 'vera').getByText('Client').waitFor();

      const other = await visitAs(vera);
      await other.getByText('User name or password is wrong.').waitFor();
      vera.password = 'another long pass phrase';
      await submitSignIn(other, vera);
      expect(await appears(liveBadge(other))).toBe(true);
      await other.context().close();
    });

    it('disables a user after asking, which ends their session, and enables them again', async () => {
      const other = await visitAs(vera);
      await untilLive(other);
      await page.getByRole('button', { name: 'Disable vera' }).click();
      await dialog()
        .getByText(/signed out everywhere/)
        .waitFor();
      await dialog().getByRole('button', { name: 'Disable', exact: true }).click();
      await rowOf(page, 'vera').getByText('Disabled').waitFor();
      await other.getByRole('heading', { name: 'Sign in to Muster' }).waitFor();
      await submitSignIn(other, vera);
      await other.getByText('User name or password is wrong.').waitFor();

      await page.getByRole('button', { name: 'Enable vera' }).click();
      await rowOf(page, 'vera').getByText('May sign in').waitFor();
      await submitSignIn(other, vera);
      expect(await appears(liveBadge(other))).toBe(true);
      await other.context().close();
    });

    it('does not offer to disable oneself', async () => {
      expect(await page.getByRole('button', { name: `Disable ${product.adminUser}` }).isDisabled()).toBe(
        true,
      );
    });
  });

  describe('API keys', () => {
    let key: string;

    const callWithKey = async () =>
      (await fetch(`${product.apiUrl}/api/tasks`, { headers: { authorization: `Bearer ${key}` } })).status;

    it('says what to do when there is none', async () => {
      await page.goto(at('/settings/api-keys'));
      expect(await appears(page.getByText('There are no API keys'))).toBe(true);
    });

    it('shows a new key once, to copy, and it works', async () => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'New API key' }).click();
      await dialog().getByLabel('Name').fill('nightly planner');
      await dialog().getByLabel('Role').selectOption('client');
      await dialog().getByLabel('Expires').selectOption('30 days');
      await dialog().getByRole('button', { name: 'Create key' }).click();
      key = await dialog().getByLabel('API key', { exact: true }).inputValue();
      expect(key).toMatch(/^mst_/);
      await dialog().getByRole('button', { name: 'Copy key' }).click();
      await dialog().getByRole('button', { name: 'Copied', exact: true }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
      expect(await callWithKey()).toBe(200);

      await dialog().getByRole('button', { name: 'I have copied it' }).click();
      await rowOf(page, 'nightly planner').getByText('Usable').waitFor();
      expect(await page.content()).not.toContain(key);
    });

    it('revokes a key after asking', async () => {
      await page.getByRole('button', { name: 'Revoke nightly planner' }).click();
      await dialog().getByText('This cannot be taken back.').waitFor();
      await dialog().getByRole('button', { name: 'Revoke key' }).click();
      await rowOf(page, 'nightly planner').getByText('Revoked').waitFor();
      expect(await callWithKey()).toBe(401);
    });
  });

  describe('for a viewer', () => {
    let viewer: Page;

    beforeAll(async () => {
      const credentials = { username: 'victor', password: 'only here to look around' };
      await page.goto(at('/settings/users'));
      await page.getByRole('button', { name: 'New user' }).click();
      await dialog().getByLabel('User name').fill(credentials.username);
      await dialog().getByLabel('Password', { exact: true }).fill(credentials.password);
      await dialog().getByRole('button', { name: 'Create user' }).click();
      await rowOf(page, 'victor').waitFor();
      viewer = await visitAs(credentials);
      await untilLive(viewer);
    });

    it.each(['/managers', '/calculations', '/tasks', '/events'])('%s can be read', async (path) => {
      await viewer.goto(at(path));
      await untilLive(viewer);
      await viewer.getByRole('heading', { level: 1 }).waitFor();
      expect(await viewer.getByText('This list cannot be shown').count()).toBe(0);
    });

    it('settings are not offered', async () => {
      const navigation = viewer.getByRole('navigation', { name: 'Main' });
      expect(await navigation.getByRole('link', { name: 'Managers' }).count()).toBe(1);
      expect(await navigation.getByRole('link', { name: 'Users' }).count()).toBe(0);
    });

    it.each(['/settings/users', '/settings/api-keys'])(
      '%s is refused by the console and by the API',
      async (path) => {
        const answer = await viewer.goto(at(path));
        expect(answer?.status()).toBe(403);
        await viewer.getByText('Only an admin can see this page').waitFor();
        const direct = await viewer.request.get(at(path.replace('/settings', '/api')));
        expect(direct.status()).toBe(403);
      },
    );
  });
});
