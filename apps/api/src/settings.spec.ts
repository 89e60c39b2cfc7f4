import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '@muster/data/project-root';
import { BadSetting, definitions, readSettings } from './settings.js';

const DATABASE_URL = 'postgres://muster:pass@localhost/muster';

it('has the defaults of the contract', () => {
  expect(readSettings({ DATABASE_URL })).toMatchObject({
    PORT: 4000,
    MUSTER_ADMIN_USER: 'admin',
    MUSTER_ADMIN_PASSWORD: null,
    MUSTER_JWT_SECRET: null,
    MUSTER_GUESTS: false,
    MUSTER_POLL_INTERVAL_MS: 5000,
    MUSTER_OFFLINE_AFTER_MS: 15000,
    MUSTER_HEARTBEAT_TIMEOUT_MS: 60000,
    MUSTER_ACCEPTANCE_TIMEOUT_MS: 30000,
    MUSTER_EXECUTION_TIMEOUT_MS: 60000,
    MUSTER_TASK_TIMEOUT_RETRIES: 0,
    MUSTER_WORKER_GRACE_MS: 5000,
    MUSTER_ASSIGN_TIMEOUT_MS: 10000,
    MUSTER_WORKER_LEASE_MS: 15000,
    MUSTER_JOB_TTL_HOURS: 24,
    MUSTER_JWT_TTL_S: 3600,
    MUSTER_MAX_RUNNING: null,
    MUSTER_MAX_RUNNING_PER_ROOM: null,
    MUSTER_MAX_RUNNING_PER_EXTENSION: null,
    MUSTER_WEBHOOK_ALLOW_PRIVATE: false,
    MUSTER_METRICS_TOKEN: null,
    POLL_INTERVAL: 1000,
  });
});

describe.each([
  ['PORT', 'four thousand', 'PORT must be a whole number from 1 to 65535, not "four thousand"'],
  ['PORT', '70000', 'PORT must be a whole number from 1 to 65535, not "70000"'],
  ['MUSTER_GUESTS', 'yes', 'MUSTER_GUESTS must be true or false, not "yes"'],
  [
    'MUSTER_POLL_INTERVAL_MS',
    '5s',
    'MUSTER_POLL_INTERVAL_MS must be a whole number from 100 to 3600000, not "5s"',
  ],
  ['MUSTER_JWT_SECRET', 'short', 'MUSTER_JWT_SECRET must have at least 32 characters'],
  ['MUSTER_ADMIN_PASSWORD', '', 'MUSTER_ADMIN_PASSWORD must not be empty'],
  [
    'MUSTER_ADMIN_PASSWORD',
    'ChangeMe',
    'MUSTER_ADMIN_PASSWORD must have at least 8 characters and not be a well-known default',
  ],
  [
    'MUSTER_LOG_LEVEL',
    'loud',
    'MUSTER_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud"',
  ],
  [
    'MUSTER_TRUSTED_PROXIES',
    'nonsense',
    'MUSTER_TRUSTED_PROXIES must be addresses, ranges or "loopback", comma-separated, not "nonsense"',
  ],
  ['MUSTER_ADMIN_USER', 'a b', 'MUSTER_ADMIN_USER must be 1 to 64 of A-Z a-z 0-9 . _ @ -'],
  ['POLL_INTERVAL', 'soon', 'POLL_INTERVAL must be a number of seconds above 0 and up to 3600, not "soon"'],
])('%s=%s', (name, value, sentence) => {
  it('stops the start with a sentence that names it', () => {
    expect(() => readSettings({ DATABASE_URL, [name]: value })).toThrow(new BadSetting(sentence));
  });
});

it('does not repeat a DATABASE_URL that does not parse, since it may hold a password', () => {
  expect(() => readSettings({ DATABASE_URL: 'mysql://root:hunter2@db/x' })).toThrow(
    /^(?!.*hunter2).*DATABASE_URL/,
  );
});

it('takes any password on one’s own machine', () => {
  expect(
    readSettings({ DATABASE_URL, MUSTER_EMBEDDED: 'true', MUSTER_ADMIN_PASSWORD: 'x' }).MUSTER_ADMIN_PASSWORD,
  ).toBe('x');
});

it('is documented, every one with its meaning, and nothing else is', async () => {
  const page = await readFile(path.join(projectRoot(), 'docs', 'settings.md'), 'utf8');
  const section = page.split('## The API')[1]!.split('\n## ')[0]!;
  const documented = [...section.matchAll(/^\| `([A-Z_]+)` *\| (.*?) *\| (.*?) *\|$/gm)].map(
    ([, name, , about]) => [name, about],
  );
  expect(documented).toEqual(Object.entries(definitions).map(([name, { about }]) => [name, about]));
});
