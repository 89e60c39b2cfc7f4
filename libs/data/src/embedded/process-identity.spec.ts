import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { identifyProcess, isRunning, signalProcess, waitUntilGone } from './process-identity.js';

describe('process identity', () => {
  it('recognises a process until it ends', async () => {
    const child = spawn('/bin/sh', ['-c', 'read -r line'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await once(child, 'spawn');
    const identity = identifyProcess(child.pid!)!;
    expect(isRunning(identity)).toBe(true);

    expect(signalProcess(identity, 'SIGTERM')).toBe(true);
    expect(await waitUntilGone(identity, 5_000)).toBe(true);
    expect(signalProcess(identity, 'SIGTERM')).toBe(false);
  });

  it('does not take a stranger with the same pid for it', async () => {
    const child = spawn('/bin/sh', ['-c', 'read -r line'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await once(child, 'spawn');
    const earlier = { pid: child.pid!, startedAt: identifyProcess(process.pid)!.startedAt };

    expect(isRunning(earlier)).toBe(false);
    expect(signalProcess(earlier, 'SIGKILL')).toBe(false);
    expect(child.signalCode).toBeNull();

    child.stdin.end();
    await once(child, 'exit');
  });

  it('knows nothing of a process that never was', () => {
    expect(identifyProcess(2 ** 30)).toBeUndefined();
  });
});
