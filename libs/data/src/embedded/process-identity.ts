import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * A process that can be recognised later. The pid alone cannot: pids are used again, and the
 * stranger that has ours next must never be taken for it.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** The identity of a running process, or undefined when there is none (a zombie is none). */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt;
}

/** Sends a signal to exactly this process; false when it is gone. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isRunning(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Waits for a process that is not our child, and therefore sends us no signal when it ends. */
export async function waitUntilGone(identity: ProcessIdentity, withinMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs;
  while (isRunning(identity)) {
    if (performance.now() > giveUpAt) return false;
    await delay(25);
  }
  return true;
}

/** Ticks since boot, together with which boot: after a restart of the machine both begin anew. */
function startOnLinux(pid: number): string | undefined {
  try {
    // The program's name stands in parentheses and may itself hold spaces and parentheses.
    const [, fields] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const [state, ...rest] = fields?.trim().split(' ') ?? [];
    if (state === undefined || state === 'Z' || state === 'X') return undefined;
    return `${bootId()}/${rest[18]}`;
  } catch {
    return undefined;
  }
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function startByPs(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
  const [, state, startedAt] = /^\s*(\S+)\s+(.*\S)/.exec(stdout ?? '') ?? [];
  return state === undefined || state.startsWith('Z') ? undefined : startedAt;
}
