import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { projectRoot } from '@muster/data/project-root';

export interface RunningProcess {
  readonly pid: number;
  readonly exited: Promise<number | null>;
  /** Everything it has said so far. */
  output(): string;
  /** Resolves with the first line, past or future, that matches. */
  saw(pattern: RegExp): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  /** Asks it to end, and waits for that. */
  stop(): Promise<void>;
}

/** A real process of the product, from dist/, with exactly this environment besides PATH and HOME. */
export function startProcess(script: string, environment: Record<string, string>): RunningProcess {
  const child = spawn(process.execPath, ['--enable-source-maps', script], {
    cwd: projectRoot(),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const listener = listen(child);
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  void exited.then(() => listener.end());
  return {
    pid: child.pid!,
    exited,
    output: listener.output,
    saw: listener.saw,
    signal: (signal) => void child.kill(signal),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function listen(child: ChildProcess) {
  let text = '';
  let ended = false;
  const waiting = new Set<() => void>();
  const tell = () => waiting.forEach((look) => look());
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      tell();
    });
  }
  return {
    output: () => text,
    end: () => {
      ended = true;
      tell();
    },
    saw: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const line = text.split('\n').find((candidate) => pattern.test(candidate));
          if (line === undefined && !ended) return;
          waiting.delete(look);
          if (line !== undefined) resolve(line);
          else reject(new Error(`The process ended without saying ${pattern}:\n${text.slice(-4_000)}`));
        };
        waiting.add(look);
        look();
      }),
  };
}
