import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LockHeldError, takeLock } from './lock-file.js';

describe('lock file', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-lock-'));
    path = join(folder, 'owner');
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('is refused while it is held, even within one process, and free after the release', async () => {
    const lock = takeLock(path);
    expect(() => takeLock(path)).toThrow(LockHeldError);

    lock.release();
    lock.release();
    takeLock(path).release();
    expect(await readdir(folder)).toEqual(['owner']);
  });

  it('is free as soon as its holder was killed', async () => {
    const script = `
      const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
      db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      process.stdout.write('held'); process.stdin.resume();`;
    const holder = spawn(process.execPath, ['-e', script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    expect(() => takeLock(path)).toThrow(LockHeldError);

    holder.kill('SIGKILL');
    await once(holder, 'exit');
    takeLock(path).release();
  });
});
