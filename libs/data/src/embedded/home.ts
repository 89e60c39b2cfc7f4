import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedServerError } from './embedded-errors.js';
import { canReach, chooseServerUser, type ServerUser } from './server-user.js';

/** Where a root-started server lives when the user that runs it cannot reach the folder it belongs to. */
export const sharedHome = '/var/lib/muster';

const pointerName = 'moved-to';

/** The folder that holds a cluster and its password, and the user the server runs as. */
export interface Home {
  readonly path: string;
  readonly data: string;
  readonly user: ServerUser | undefined;
}

/**
 * Makes the folder ready. As root the server runs as another user, who cannot enter a folder below,
 * say, a private home; the cluster then goes to a place that everybody can reach, and a pointer in
 * the folder says where.
 */
export async function openHome(directory: string): Promise<Home> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const own = await realpath(directory);
  const path = (await readPointer(own)) ?? own;
  const user = await chooseServerUser(join(path, 'data'));
  if (!user || canReach(user, dirname(path))) return furnish(path, user);
  // A cluster that is there already was reachable once; to start another beside it would seem to lose it.
  if (existsSync(join(path, 'data'))) {
    throw new EmbeddedServerError(
      'DIRECTORY_NOT_REACHABLE',
      `PostgreSQL, which does not run as root, cannot reach ${path}; let others pass (chmod o+x) the folders above it.`,
    );
  }
  return furnish(await moveOut(own), user);
}

async function furnish(path: string, user: ServerUser | undefined): Promise<Home> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (user) await chown(path, user.uid, user.gid);
  return { path, data: join(path, 'data'), user };
}

async function moveOut(directory: string): Promise<string> {
  await mkdir(sharedHome, { recursive: true, mode: 0o755 });
  const path = join(sharedHome, `cluster-${randomBytes(6).toString('hex')}`);
  await writeFile(join(directory, pointerName), `${path}\n`, { mode: 0o600 });
  return path;
}

async function readPointer(directory: string): Promise<string | undefined> {
  try {
    return (await readFile(join(directory, pointerName), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
