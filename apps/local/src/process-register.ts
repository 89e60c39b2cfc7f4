import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  identifyProcess,
  signalProcess,
  waitUntilGone,
  type ProcessIdentity,
} from '@muster/data/embedded/process-identity';

interface NamedProcess extends ProcessIdentity {
  readonly name: string;
}

/**
 * Keeps a list of our processes on disk. Should this process be killed, they end by themselves
 * (scripts/support/leash.mjs), but perhaps not before the next start: that one finds them here and waits for them.
 */
export class ProcessRegister {
  private readonly processes = new Map<number, NamedProcess>();

  constructor(private readonly path: string) {}

  add(name: string, pid: number): void {
    const identity = identifyProcess(pid);
    if (identity) this.processes.set(pid, { name, ...identity });
    this.write();
  }

  remove(pid: number): void {
    if (this.processes.delete(pid)) this.write();
  }

  /** Ends what a former start has left behind; a stranger with the pid of one of them is not touched. */
  async stopLeftovers(): Promise<void> {
    await Promise.all(readList(this.path).map(stopLeftover));
    this.write();
  }

  private write(): void {
    writeFileSync(`${this.path}.new`, JSON.stringify([...this.processes.values()]), { mode: 0o600 });
    renameSync(`${this.path}.new`, this.path);
  }
}

async function stopLeftover(identity: ProcessIdentity): Promise<void> {
  for (const [signal, withinMs] of [
    ['SIGTERM', 10_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!signalProcess(identity, signal) || (await waitUntilGone(identity, withinMs))) return;
  }
}

function readList(path: string): ProcessIdentity[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity[];
  } catch {
    return [];
  }
}
