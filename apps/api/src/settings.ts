import path from 'node:path';
import { compile as compileProxies } from '@fastify/proxy-addr';

/** A setting cannot be used; the message is the sentence to show. */
export class BadSetting extends Error {}

interface Definition<Value> {
  readonly parse: (text: string, name: string) => Value;
  /** Undefined: the setting must be given. */
  readonly fallback?: Value;
  readonly about: string;
}

/**
 * Every setting of the API, with its default. docs/settings.md is checked against this list, so that neither
 * can drift.
 */
export const definitions = {
  DATABASE_URL: setting(
    postgresUrl,
    undefined,
    'Where PostgreSQL is (15 or later). `npm start` brings its own if absent.',
  ),
  PORT: setting(port, 4000, 'Port of the API.'),
  MUSTER_HOST: setting(text, '0.0.0.0', 'Address that the API listens on.'),
  MUSTER_DATA_DIR: setting(
    (value) => path.resolve(value),
    path.resolve('.muster'),
    'Folder for what is made at the first start.',
  ),
  MUSTER_EMBEDDED: setting(flag, false, 'Set by `npm start` when PostgreSQL is its own.'),
  MUSTER_ADMIN_USER: setting(userName, 'admin', 'Name of the first administrator.'),
  MUSTER_ADMIN_PASSWORD: setting(secret(1), null, 'Password of the first administrator; made if absent.'),
  MUSTER_JWT_SECRET: setting(
    secret(32),
    null,
    'Signs access tokens; made and kept in the database if absent.',
  ),
  MUSTER_JWT_TTL_S: setting(wholeNumber(1, 30 * 86_400), 3_600, 'How long a sign-in lasts, in seconds.'),
  MUSTER_GUESTS: setting(flag, false, 'Whether guests may sign in by name.'),
  MUSTER_METRICS_TOKEN: setting(secret(1), null, 'If set, /metrics wants it as a bearer token.'),
  MUSTER_TRUSTED_PROXIES: setting(
    proxies,
    'loopback',
    'Whose X-Forwarded-For is believed: addresses, ranges or "loopback", comma-separated.',
  ),
  MUSTER_LOG_LEVEL: setting(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'How much is logged.',
  ),
  MUSTER_DB_CONNECTIONS: setting(
    wholeNumber(2, 500),
    10,
    'Connections that one API process keeps for its statements.',
  ),
  MUSTER_STATEMENT_TIMEOUT_MS: setting(
    wholeNumber(100, 600_000),
    10_000,
    'Time after which a statement that PostgreSQL has not answered is given up.',
  ),
  MUSTER_POLL_INTERVAL_MS: setting(wholeNumber(100, 3_600_000), 5_000, 'How often a manager polls.'),
  MUSTER_OFFLINE_AFTER_MS: setting(
    wholeNumber(100, 86_400_000),
    15_000,
    'Silence after which a manager is offline.',
  ),
  MUSTER_HEARTBEAT_TIMEOUT_MS: setting(
    wholeNumber(100, 86_400_000),
    60_000,
    'Silence after which a calculation is given up.',
  ),
  MUSTER_ACCEPTANCE_TIMEOUT_MS: setting(
    wholeNumber(100, 2_592_000_000),
    30_000,
    'Time that a manager has to accept a task.',
  ),
  MUSTER_EXECUTION_TIMEOUT_MS: setting(
    wholeNumber(100, 2_592_000_000),
    60_000,
    'Time that an accepted task may take.',
  ),
  MUSTER_TASK_TIMEOUT_RETRIES: setting(
    wholeNumber(0, 100),
    0,
    'How often a task that nobody accepted goes to another manager.',
  ),
  MUSTER_WORKER_GRACE_MS: setting(
    wholeNumber(0, 3_600_000),
    5_000,
    'Time that a lost worker has to come back.',
  ),
  MUSTER_ASSIGN_TIMEOUT_MS: setting(
    wholeNumber(100, 3_600_000),
    10_000,
    'Time that a worker has to take an assigned job.',
  ),
  MUSTER_WORKER_LEASE_MS: setting(
    wholeNumber(100, 3_600_000),
    15_000,
    'Silence after which a worker is lost.',
  ),
  MUSTER_JOB_TTL_HOURS: setting(wholeNumber(1, 87_600), 24, 'How long finished jobs are kept.'),
  MUSTER_MAX_RUNNING: setting(wholeNumber(1, 1_000_000), null, 'Most jobs that run at once.'),
  MUSTER_MAX_RUNNING_PER_ROOM: setting(
    wholeNumber(1, 1_000_000),
    null,
    'Most jobs of a room that run at once.',
  ),
  MUSTER_MAX_RUNNING_PER_EXTENSION: setting(
    wholeNumber(1, 1_000_000),
    null,
    'Most jobs of an extension that run at once.',
  ),
  MUSTER_WORKER_TOKEN: setting(
    secret(16),
    null,
    'Shared with the built-in worker, which it lets in as such.',
  ),
  MUSTER_WEBHOOK_ALLOW_PRIVATE: setting(
    flag,
    false,
    'Whether webhooks may reach private and loopback addresses.',
  ),
  POLL_INTERVAL: setting(seconds, 1_000, 'Longest time between scheduler ticks while jobs wait, in seconds.'),
};

type Definitions = typeof definitions;
export type Settings = {
  readonly [Name in keyof Definitions]:
    ReturnType<Definitions[Name]['parse']> | Extract<Definitions[Name]['fallback'], null>;
};

export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const entries = Object.entries(definitions).map(([name, definition]) => [
    name,
    readOne(name, definition, environment[name]),
  ]);
  const settings = Object.fromEntries(entries) as Settings;
  refuseWeakPassword(settings);
  return settings;
}

function readOne(name: string, definition: Definition<unknown>, given: string | undefined): unknown {
  if (given !== undefined) return definition.parse(given, name);
  if (definition.fallback === undefined) throw new BadSetting(`${name} must be set`);
  return definition.fallback;
}

const WELL_KNOWN = new Set([
  'admin',
  'password',
  'changeme',
  'change-me',
  'secret',
  'muster',
  'postgres',
  'default',
]);

/** On one's own machine anything goes; a server that others reach does not start with a password they can guess. */
function refuseWeakPassword(settings: Settings): void {
  const password = settings.MUSTER_ADMIN_PASSWORD;
  if (password === null || settings.MUSTER_EMBEDDED) return;
  if (password.length < 8 || WELL_KNOWN.has(password.toLowerCase())) {
    throw new BadSetting(
      'MUSTER_ADMIN_PASSWORD must have at least 8 characters and not be a well-known default',
    );
  }
}

function setting<Value, Fallback extends Value | null | undefined>(
  parse: (text: string, name: string) => Value,
  fallback: Fallback,
  about: string,
) {
  return { parse, fallback, about };
}

function text(value: string, name: string): string {
  if (value.trim() === '') throw new BadSetting(`${name} must not be empty`);
  return value;
}

function userName(value: string, name: string): string {
  if (!/^[A-Za-z0-9._@-]{1,64}$/.test(value)) {
    throw new BadSetting(`${name} must be 1 to 64 of A-Z a-z 0-9 . _ @ -`);
  }
  return value;
}

function proxies(value: string, name: string): string {
  try {
    compileProxies(value.split(',').map((proxy) => proxy.trim()));
    return value;
  } catch {
    throw new BadSetting(`${name} must be addresses, ranges or "loopback", comma-separated, not "${value}"`);
  }
}

function secret(minimumLength: number) {
  return (value: string, name: string): string => {
    if (value.length < minimumLength) {
      throw new BadSetting(
        minimumLength === 1
          ? `${name} must not be empty`
          : `${name} must have at least ${minimumLength} characters`,
      );
    }
    return value;
  };
}

function wholeNumber(least: number, most: number) {
  return (value: string, name: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value.trim()) || number < least || number > most) {
      throw new BadSetting(`${name} must be a whole number from ${least} to ${most}, not "${value}"`);
    }
    return number;
  };
}

function port(value: string, name: string): number {
  return wholeNumber(1, 65_535)(value, name);
}

function seconds(value: string, name: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number > 0) || number > 3_600) {
    throw new BadSetting(`${name} must be a number of seconds above 0 and up to 3600, not "${value}"`);
  }
  return Math.round(number * 1_000);
}

function flag(value: string, name: string): boolean {
  if (!['true', 'false', '1', '0'].includes(value))
    throw new BadSetting(`${name} must be true or false, not "${value}"`);
  return value === 'true' || value === '1';
}

function oneOf<Choice extends string>(...choices: Choice[]) {
  return (value: string, name: string): Choice => {
    if (!(choices as string[]).includes(value))
      throw new BadSetting(`${name} must be one of ${choices.join(', ')}, not "${value}"`);
    return value as Choice;
  };
}

function postgresUrl(value: string, name: string): string {
  // The value may hold a password, so the sentence does not repeat it.
  if (!URL.canParse(value) || !/^postgres(ql)?:$/.test(new URL(value).protocol)) {
    throw new BadSetting(`${name} must be an address like postgres://user:password@host:5432/database`);
  }
  return value;
}
