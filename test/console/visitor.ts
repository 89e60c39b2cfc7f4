import type { Locator, Page } from 'playwright-core';

export interface Credentials {
  username: string;
  password: string;
}

/** Fills in the sign-in page, wherever one was sent to it from. */
export async function submitSignIn(page: Page, { username, password }: Credentials): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in and waits until the page is live. */
export async function signIn(page: Page, consoleUrl: string, credentials: Credentials): Promise<void> {
  await page.goto(`${consoleUrl}/sign-in`);
  await submitSignIn(page, credentials);
  await untilLive(page);
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Muster' }).waitFor();
}

export async function untilLive(page: Page): Promise<void> {
  await liveBadge(page).waitFor();
}

export function liveBadge(page: Page): Locator {
  return page.getByLabel('Connection: Live');
}

/** True as soon as it is there; fails with what was looked for if it never comes. */
export async function appears(locator: Locator): Promise<true> {
  await locator.waitFor();
  return true;
}

/** What stands in the row of a table that shows `name`. */
export function rowOf(page: Page, name: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('cell', { name, exact: true }) });
}
