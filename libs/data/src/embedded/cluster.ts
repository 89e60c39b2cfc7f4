import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Binaries } from './binaries.js';
import { EmbeddedServerError } from './embedded-errors.js';
import { serverFailed } from './failures.js';
import type { Home } from './home.js';

/** The superuser of every embedded server. */
export const superuser = 'muster';

/** PostgreSQL reads dozens of variables; it gets only those that make it behave the same everywhere. */
export const serverEnvironment = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };

export interface ClusterOptions {
  readonly home: Home;
  readonly binaries: Binaries;
  /** Whether the files must be safe on disk before this returns. */
  readonly durable: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Returns the superuser's password, after having made the cluster if there is none. */
export async function openCluster(options: ClusterOptions): Promise<string> {
  const { home, binaries } = options;
  await removeDrafts(home);
  const version = await readIfThere(join(home.data, 'PG_VERSION'));
  const password = await readIfThere(passwordFile(home));
  if (version === undefined) return createCluster(options, password ?? (await makePassword(home)));
  if (version !== binaries.major) {
    throw new EmbeddedServerError(
      'OTHER_MAJOR_VERSION',
      `The database in ${home.path} was made by PostgreSQL ${version}, but this is PostgreSQL ${binaries.major}.`,
    );
  }
  if (password === undefined) {
    throw new EmbeddedServerError('PASSWORD_LOST', `The password file ${passwordFile(home)} is missing.`);
  }
  return password;
}

/** Under a name of its own until it is complete: whatever is called `data` is a whole cluster. */
async function createCluster(options: ClusterOptions, password: string): Promise<string> {
  const { home, durable } = options;
  const draft = `${home.data}.new-${randomBytes(4).toString('hex')}`;
  try {
    await runInitdb(draft, options);
    await rename(draft, home.data);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  if (durable) await syncFolder(home.path);
  return password;
}

async function runInitdb(target: string, { home, binaries, durable, signal }: ClusterOptions): Promise<void> {
  const initdb = spawn(
    binaries.initdb,
    [
      `--pgdata=${target}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile(home)}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Collation comes with the server, so that a sort order never depends on the machine.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ],
    { ...home.user, cwd: '/', env: serverEnvironment, stdio: ['ignore', 'pipe', 'pipe'], signal },
  );
  const lines: string[] = [];
  for (const stream of [initdb.stdout, initdb.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  initdb.once('error', (error) => lines.push(`error: ${error.message}`));
  const code = await new Promise<number | null>((resolve) => initdb.once('close', resolve));
  signal?.throwIfAborted();
  if (code !== 0) throw serverFailed('initdb', lines, home.path);
}

async function makePassword(home: Home): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const draft = `${passwordFile(home)}.new`;
  await writeFile(draft, password, { mode: 0o600, flush: true });
  if (home.user) await chown(draft, home.user.uid, home.user.gid);
  await rename(draft, passwordFile(home));
  return password;
}

async function removeDrafts(home: Home): Promise<void> {
  for (const entry of await readdir(home.path)) {
    if (entry.startsWith('data.new-')) await rm(join(home.path, entry), { recursive: true, force: true });
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function passwordFile(home: Home): string {
  return join(home.path, 'password');
}
