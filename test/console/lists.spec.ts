import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { openBrowser } from '../support/browser.js';
import type { TestBrowser } from '../support/browser.js';
import { startProduct } from '../support/product.js';
import type { Product } from '../support/product.js';
import { appears, signIn, untilLive } from './visitor.js';

describe('lists', () => {
  let product: Product;
  let browser: TestBrowser;
  let database: pg.Client;
  let page: Page;

  beforeAll(async () => {
    [product, browser] = await Promise.all([startProduct(), openBrowser()]);
    database = new pg.Client({ connectionString: product.database.url });
    await database.connect();
    ({ page } = await browser.newPage());
    await signIn(page, product.consoleUrl, { username: product.adminUser, password: product.adminPassword });
  });
  afterAll(async () => {
    await browser?.close();
    await database?.end();
    await product?.stop();
  });

  const at = (path: string) => product.consoleUrl + path;
  const rows = () => page.locator('tbody tr');

  it.each([
    ['/managers', 'No manager has called in yet'],
    ['/calculations', 'Nothing has been calculated yet'],
    ['/tasks', 'There are no tasks yet'],
  ])('%s says what to do while it is empty', async (path, words) => {
    await page.goto(at(path));
    expect(await appears(page.getByText(words))).toBe(true);
  });

  it('the overview guides the first steps while there is no manager', async () => {
    await page.goto(at('/'));
    const guidance = page.getByRole('heading', { name: /What you can do first/ });
    expect(await appears(guidance)).toBe(true);
  });

  it('managers show their state and their cores', async () => {
    await database.query(
      `INSERT INTO managers (manager_name, host_address, status, registration_status, total_cores, last_seen)
       VALUES ('node-7', '10.0.0.7', 'offline', 'approved', 16, now()),
              ('node-8', '10.0.0.8', 'offline', 'pending', 8, now())`,
    );
    await page.goto(at('/managers'));
    const pending = page.getByRole('row').filter({ hasText: 'node-8' });
    await pending.getByText('Waiting for approval').waitFor();
    await pending.getByText('0 of 8').waitFor();
    await page.goto(at('/'));
    await page.getByRole('link', { name: '1 Managers waiting for approval' }).click();
    await page.waitForURL(at('/managers?registration=pending'));
    await pending.waitFor();
    expect(await rows().count()).toBe(1);
  });

  it('are read page by page', async () => {
    await database.query(
      `INSERT INTO schedule_calculations (calculation_metadata, created_at)
       SELECT '{}', now() - n * interval '1 minute' FROM generate_series(1, 120) AS n`,
    );
    await page.goto(at('/calculations'));
    const more = page.getByRole('button', { name: 'Load more' });
    for (const count of [50, 100]) {
      await rows()
        .nth(count - 1)
        .waitFor();
      expect(await rows().count()).toBe(count);
      await more.click();
    }
    await rows().nth(119).waitFor();
    expect(await rows().count()).toBe(120);
    expect(await more.count()).toBe(0);
  });

  it('keep their filter in the address, over a reload', async () => {
    await page.goto(at('/calculations'));
    await page.getByRole('button', { name: 'Failed' }).click();
    await page.getByText('No calculation is in this state').waitFor();
    expect(page.url()).toBe(at('/calculations?status=failed'));
    await page.reload();
    await page.getByRole('button', { name: 'Failed', pressed: true }).waitFor();
    await page.getByText('No calculation is in this state').waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await rows().first().waitFor();
    expect(page.url()).toBe(at('/calculations'));
  });

  it('say in words what went wrong, and can be asked again', async () => {
    await page.goto(at('/'));
    await untilLive(page);
    const problem = { status: 503, contentType: 'application/problem+json' };
    await page.route('**/api/tasks?*', (route) =>
      route.fulfill({ ...problem, body: '{"code":"DATABASE_UNAVAILABLE"}' }),
    );
    await page.route('**/api/tasks', (route) =>
      route.fulfill({ ...problem, body: '{"code":"DATABASE_UNAVAILABLE"}' }),
    );
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByText('The API cannot reach its database.').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    expect(await appears(page.getByText('There are no tasks yet'))).toBe(true);
  });
});
