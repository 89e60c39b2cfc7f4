import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openBrowser } from '../support/browser.js';
import type { TestBrowser } from '../support/browser.js';
import { startProduct } from '../support/product.js';
import type { Product } from '../support/product.js';
import { appears, liveBadge, signIn, untilLive } from './visitor.js';

describe('live updates', () => {
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
  const latestEvents = () => page.getByRole('region', { name: 'Latest events' });

  /** Something that makes exactly one event: an API key of this name. */
  async function makeEvent(name: string): Promise<void> {
    const answer = await page.request.post(at('/api/api-keys'), {
      data: { name, role: 'viewer' },
      headers: { origin: product.consoleUrl },
    });
    expect(answer.status()).toBe(201);
  }

  it('show an event on the overview as it happens', async () => {
    await page.goto(at('/'));
    await untilLive(page);
    await makeEvent('first-of-its-kind');
    expect(await appears(latestEvents().getByText('first-of-its-kind'))).toBe(true);
  });

  it('let new events wait on the events page until one asks for them', async () => {
    await page.goto(at('/events'));
    await untilLive(page);
    await page.getByRole('cell', { name: /first-of-its-kind/ }).waitFor();
    await makeEvent('second-of-its-kind');
    const show = page.getByRole('button', { name: /^Show \d+ new$/ });
    await show.waitFor();
    expect(await page.getByRole('cell', { name: /second-of-its-kind/ }).count()).toBe(0);
    await show.click();
    await page.getByRole('cell', { name: /second-of-its-kind/ }).waitFor();
  });

  it('say when the connection is lost, keep what was read, and catch up when it is back', async () => {
    await page.goto(at('/'));
    await untilLive(page);
    await latestEvents().getByText('second-of-its-kind').waitFor();

    await product.api.stop();
    await page.getByLabel('Connection: Reconnecting').waitFor();
    expect(await page.getByText('second-of-its-kind').isVisible()).toBe(true);

    // From the network's point of view the browser is still away when the next event happens.
    await page.context().setOffline(true);
    await page.getByLabel('Connection: Offline').waitFor();
    await product.api.start();
    const other = await browser.newPage();
    await signIn(other.page, product.consoleUrl, {
      username: product.adminUser,
      password: product.adminPassword,
    });
    const answer = await other.page.request.post(at('/api/api-keys'), {
      data: { name: 'while-away', role: 'viewer' },
      headers: { origin: product.consoleUrl },
    });
    expect(answer.status()).toBe(201);
    await other.page.context().close();

    await page.context().setOffline(false);
    await untilLive(page);
    await latestEvents().getByText('while-away').waitFor();
  });

  it('show a page that could not be made as soon as the API is back', async () => {
    await product.api.stop();
    await page.goto(at('/managers'));
    await page.getByRole('heading', { name: 'The API is away' }).waitFor();
    await product.api.start();
    expect(await appears(page.getByRole('heading', { name: 'Managers' }))).toBe(true);
    expect(await appears(liveBadge(page))).toBe(true);
  });
});
