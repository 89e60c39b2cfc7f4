import {
  copyFileSync,
  existsSync,
  ftruncateSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

const olderKept = 3;
const defaultLimitBytes = 20_000_000;

/** One log per service, with a few older ones beside it: `api.log`, `api.1.log`, … */
export class LogFolder {
  private readonly logs = new Map<string, Log>();

  constructor(
    private readonly path: string,
    private readonly limitBytes = defaultLimitBytes,
  ) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }

  /** The log of a service; the first call puts away the one of the former start. */
  open(service: string): Log {
    const name = service.toLowerCase();
    let log = this.logs.get(name);
    if (!log) {
      shiftOlder(this.path, name);
      if (existsSync(current(this.path, name)))
        renameSync(current(this.path, name), older(this.path, name, 1));
      this.logs.set(name, (log = new Log(this.path, name)));
    }
    return log;
  }

  /** To be called now and then: puts away each log that has grown past its limit. */
  keepBounded(): void {
    for (const log of this.logs.values()) log.putAwayIfLargerThan(this.limitBytes);
  }
}

/**
 * Services write straight into the file, not through us: it costs nothing, and what a service says
 * while we are being stopped is not lost. For the same reason a log that is too large is copied and
 * then emptied, as its writers keep the file that they have open (and write at its end).
 */
export class Log {
  readonly descriptor: number;
  readonly file: string;

  constructor(
    private readonly folder: string,
    private readonly name: string,
  ) {
    this.file = current(folder, name);
    this.descriptor = openSync(this.file, 'a+', 0o600);
  }

  append(line: string): void {
    writeSync(this.descriptor, `${line}\n`);
  }

  /** The last lines that are there. */
  tail(count: number): string[] {
    const { size } = fstatSync(this.descriptor);
    const buffer = Buffer.alloc(Math.min(size, 64_000));
    const length = readSync(this.descriptor, buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer.toString('utf8', 0, length).split('\n');
    return lines.filter((line) => line.trim() !== '').slice(-count);
  }

  putAwayIfLargerThan(limitBytes: number): void {
    if (fstatSync(this.descriptor).size <= limitBytes) return;
    shiftOlder(this.folder, this.name);
    copyFileSync(this.file, older(this.folder, this.name, 1));
    ftruncateSync(this.descriptor);
  }
}

/** Frees the place of the youngest older log; the oldest one goes. */
function shiftOlder(folder: string, name: string): void {
  for (let age = olderKept - 1; age >= 1; age -= 1) {
    if (existsSync(older(folder, name, age)))
      renameSync(older(folder, name, age), older(folder, name, age + 1));
  }
}

function current(folder: string, name: string): string {
  return join(folder, `${name}.log`);
}

function older(folder: string, name: string, age: number): string {
  return join(folder, `${name}.${age}.log`);
}
