import { chromium } from 'playwright-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { installChromium } from './chromium.js';

/** A page, and what went wrong in it. */
export interface WatchedPage {
  page: Page;
  /** What the content security policy had to stop. */
  violations: string[];
  /** Uncaught errors, and errors that a script wrote to the console. */
  errors: string[];
}

export interface TestBrowser {
  /** A page with a profile of its own: nothing is shared with the pages before it. */
  newPage(options?: BrowserContextOptions): Promise<WatchedPage>;
  close(): Promise<void>;
}

/** A request that is answered with an error, or not at all, makes the browser say so. Tests cause these on purpose. */
const NETWORK_REMARK = /^(Failed to load resource|WebSocket connection to)/;

export async function openBrowser(): Promise<TestBrowser> {
  const { executablePath, env } = await installChromium();
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    // Chromium's own sandbox does not start as root or inside a container.
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
  });
  return {
    async newPage(options) {
      const context = await browser.newContext({
        locale: 'en-US',
        timezoneId: 'UTC',
        viewport: { width: 1280, height: 800 },
        ...options,
      });
      const page = await context.newPage();
      return { page, ...watch(page) };
    },
    close: () => browser.close(),
  };
}

function watch(page: Page): Omit<WatchedPage, 'page'> {
  const violations: string[] = [];
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    if (/content security policy/i.test(text)) violations.push(text);
    else if (message.type() === 'error' && !NETWORK_REMARK.test(text)) errors.push(text);
  });
  return { violations, errors };
}
