import { access, chmod, constants, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LockHeldError, takeLock, type LockFile } from '@muster/data/embedded/lock-file';
import { StartFailure } from './start-failure.js';

/** The folder that holds all that lasts, claimed for this process alone. */
export interface DataFolder {
  readonly path: string;
  /** The path of something inside. */
  file(name: string): string;
  /** Writes a file that only its owner can read, in one step. */
  writePrivate(name: string, content: string): Promise<void>;
  release(): void;
}

export async function openDataFolder(path: string): Promise<DataFolder> {
  const lock = await claim(path);
  const file = (name: string) => join(path, name);
  return {
    path,
    file,
    writePrivate: async (name, content) => {
      const draft = file(`${name}.new`);
      await rm(draft, { force: true });
      await writeFile(draft, content, { mode: 0o600 });
      await rename(draft, file(name));
    },
    release: () => lock.release(),
  };
}

async function claim(path: string): Promise<LockFile> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (process.getuid?.() === 0) await letOthersPass(path);
    await access(path, constants.W_OK);
    return takeLock(join(path, 'lock'));
  } catch (error) {
    if (error instanceof LockHeldError) {
      throw new StartFailure(
        `Muster already runs with the data folder ${path}; stop it first, or set MUSTER_DATA_DIR to another folder.`,
      );
    }
    throw new StartFailure(
      `The data folder ${path} cannot be written (${(error as NodeJS.ErrnoException).code}); set MUSTER_DATA_DIR to another one.`,
    );
  }
}

/** Under root PostgreSQL runs as another user, who has to get through to its own folder in here. */
async function letOthersPass(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o011) !== 0o011) await chmod(path, mode | 0o011);
}
