import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Binaries } from './binaries.js';
import { serverEnvironment } from './cluster.js';
import { serverFailed } from './failures.js';
import type { Home } from './home.js';
import type { ServerUser } from './server-user.js';

const keptLines = 40;

export interface PostmasterOptions {
  readonly home: Home;
  readonly binaries: Binaries;
  readonly settings: Readonly<Record<string, string>>;
  readonly onLog: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

export interface Postmaster {
  readonly pid: number;
  readonly exited: Promise<void>;
  stop(graceMs: number): Promise<void>;
}

/** Starts the server and returns when it accepts connections, however long it recovers before that. */
export async function launchPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const { home, binaries, settings, signal } = options;
  signal?.throwIfAborted();
  const server = spawn(
    binaries.postgres,
    ['-D', home.data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...home.user,
      cwd: '/',
      env: serverEnvironment,
      stdio: ['ignore', 'ignore', 'pipe'],
      // A group of its own: a Ctrl-C in the terminal must not stop it before those who still use it.
      detached: true,
    },
  );
  const exited = new Promise<void>((resolve) => {
    server.once('exit', () => resolve());
    server.on('error', () => resolve());
  });
  tieToOurLife(server, home.user, exited);
  await untilReady(server, exited, options);
  return { pid: server.pid!, exited, stop: (graceMs) => stopServer(server, exited, graceMs) };
}

async function untilReady(
  server: ChildProcess,
  exited: Promise<void>,
  { home, onLog, signal }: PostmasterOptions,
): Promise<void> {
  const lines: string[] = [];
  const stopOnAbort = () => server.kill('SIGINT');
  signal?.addEventListener('abort', stopOnAbort, { once: true });
  server.on('error', (error) => lines.push(`error: ${error.message}`));
  try {
    const output = createInterface({ input: server.stderr! });
    const ended = once(output, 'close');
    const ready = await new Promise<boolean>((resolve) => {
      output.on('line', (line) => {
        onLog(line);
        lines.push(line);
        if (lines.length > keptLines) lines.shift();
        if (line.includes('database system is ready to accept connections')) resolve(true);
      });
      void Promise.all([exited, ended]).then(() => resolve(false));
    });
    signal?.throwIfAborted();
    if (!ready) throw serverFailed('PostgreSQL', lines, home.path);
  } finally {
    signal?.removeEventListener('abort', stopOnAbort);
  }
}

/**
 * Ends the server when this process is gone, even if it was killed. A shell waits for one line from
 * us; the end of the pipe without that line means that nobody is left to say it.
 */
function tieToOurLife(server: ChildProcess, user: ServerUser | undefined, exited: Promise<void>): void {
  if (server.pid === undefined) return;
  const watcher = spawn('/bin/sh', ['-c', 'read -r line || kill -INT "$1"', 'sh', String(server.pid)], {
    ...user,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.on('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  void exited.then(() => watcher.stdin.end('the server has ended\n'));
}

/** Fast (open transactions are rolled back), then immediate (the next start recovers), then by force. */
async function stopServer(server: ChildProcess, exited: Promise<void>, graceMs: number): Promise<void> {
  server.kill('SIGINT');
  const escalation = [
    setTimeout(() => server.kill('SIGQUIT'), graceMs),
    setTimeout(() => server.kill('SIGKILL'), graceMs + 2_000),
  ];
  await exited;
  escalation.forEach(clearTimeout);
}
