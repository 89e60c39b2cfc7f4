import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

export interface LockFile {
  release(): void;
}

export class LockHeldError extends Error {
  override readonly name = 'LockHeldError';

  constructor(readonly path: string) {
    super(`${path} is held by another process`);
  }
}

const busy = 5;

/**
 * Takes a lock that the kernel gives back when its process ends, however it ends: no stale lock can
 * stay behind, and none has to be judged by a pid. Node offers no file locks of its own, but its
 * SQLite takes one on the (empty) file it opens.
 */
export function takeLock(path: string): LockFile {
  // SQLite would be content to read a file that it may not write, and that is no lock.
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw (error as { errcode?: number }).errcode === busy ? new LockHeldError(path) : error;
  }
  return { release: () => database.isOpen && database.close() };
}
