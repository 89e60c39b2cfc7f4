import { writeSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LogFolder } from './log-folder.js';

describe('log folder', () => {
  let path: string;

  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'muster-logs-'));
  });

  afterEach(() => rm(path, { recursive: true }));

  it('shows the last lines', () => {
    const log = new LogFolder(path).open('api');
    ['one', '', 'two', 'three'].forEach((line) => log.append(line));
    expect(log.tail(2)).toEqual(['two', 'three']);
  });

  it('puts the log of the former start away, and keeps three of them', async () => {
    for (const start of ['first', 'second', 'third', 'fourth', 'fifth']) {
      new LogFolder(path).open('api').append(start);
    }
    expect((await readdir(path)).sort()).toEqual(['api.1.log', 'api.2.log', 'api.3.log', 'api.log']);
    expect(await readFile(join(path, 'api.log'), 'utf8')).toBe('fifth\n');
    expect(await readFile(join(path, 'api.3.log'), 'utf8')).toBe('second\n');
  });

  it('empties a log that has grown too large under those who write it', async () => {
    const folder = new LogFolder(path, 10);
    const log = folder.open('api');
    writeSync(log.descriptor, 'far too much\n');
    folder.keepBounded();
    writeSync(log.descriptor, 'more\n');
    folder.keepBounded();
    expect(await readFile(join(path, 'api.1.log'), 'utf8')).toBe('far too much\n');
    expect(await readFile(join(path, 'api.log'), 'utf8')).toBe('more\n');
  });
});
