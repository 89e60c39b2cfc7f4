import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { identifyProcess, signalProcess, waitUntilGone, type ProcessIdentity } from './process-identity.js';

/**
 * Stops a server that an earlier process of ours left running on this folder. What the pid file
 * names is believed only if that process is a PostgreSQL on this very folder. A stranger that has
 * got the pid since is left alone; the file is stale then, and is removed, because PostgreSQL would
 * take the stranger for a server and refuse to start.
 */
export async function stopLeftoverServer(dataDirectory: string): Promise<void> {
  const pidFile = join(dataDirectory, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  if (!Number.isInteger(pid) || pid <= 0) return;
  const server = identifyProcess(pid);
  if (!server) return;
  if (!isServerOn(dataDirectory, pid)) {
    await rm(pidFile, { force: true });
    return;
  }
  for (const [signal, withinMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!signalProcess(server, signal) || (await waitUntilGone(server, withinMs))) return;
  }
}

/**
 * Ends the backends that outlive a killed server. Most notice by themselves within moments, but one
 * that is deep in a long statement does not, and the shared memory stays in use until it ends.
 */
export function killLeftoverBackends(dataDirectory: string): void {
  for (const backend of processesOn(dataDirectory)) signalProcess(backend, 'SIGKILL');
}

/** PostgreSQL processes work inside their data folder. Only Linux tells us where a process works. */
function processesOn(dataDirectory: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && isServerOn(dataDirectory, Number(entry)))
    .flatMap((entry) => identifyProcess(Number(entry)) ?? []);
}

function isServerOn(dataDirectory: string, pid: number): boolean {
  if (process.platform === 'linux') {
    try {
      const [program = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return readlinkSync(`/proc/${pid}/cwd`) === dataDirectory && /(^|\/)postgres(:|$)/.test(program);
    } catch {
      return false;
    }
  }
  const { stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return /(^|\/)postgres /.test(stdout ?? '') && (stdout ?? '').includes(`-D ${dataDirectory} `);
}
