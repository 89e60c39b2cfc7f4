import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CommandFailure } from './failure.mjs';
import { pinnedNode, root } from './project.mjs';

const leash = new URL('./leash.mjs', import.meta.url).href;
const keptOutput = 200_000;

/** Whoever is asked to end has this long before it is forced to. */
const graceMs = 15_000;

const running = new Set();
let requested;

/**
 * Passes a request to end on to what runs. One request may come by several ways (the process group,
 * npm, a terminal); that is for the programs to tell apart.
 */
function requestEnd(signal) {
  if (running.size === 0) process.exit(codeOf(null, signal));
  if (requested === undefined)
    setTimeout(() => running.forEach((child) => child.kill('SIGKILL')), graceMs).unref();
  requested = signal;
  for (const child of running) child.kill(signal);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, requestEnd);
watchParent();

/** npm passes SIGTERM on, but a killed npm, or a shell between it and us, cannot. */
function watchParent() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    requestEnd('SIGTERM');
  }, 1_000);
  timer.unref();
}

/** The exit code of a shell for a program that was ended by a signal. */
const codeOf = (code, signal) => code ?? 128 + constants.signals[signal];

function start(command, args, { env, ...options }) {
  const child = spawn(command, args, {
    cwd: root,
    ...options,
    // It ends with us even if we are killed: nothing may go on writing what the next command makes anew.
    env: { ...process.env, ...env, MUSTER_LEASH: String(process.pid) },
  });
  running.add(child);
  const ended = new Promise((resolve, reject) => {
    child.once('error', (error) => {
      running.delete(child);
      reject(
        error.code === 'ENOENT'
          ? new CommandFailure(`${command} is not installed, or not on the PATH.`)
          : error,
      );
    });
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve(codeOf(code, signal));
    });
  });
  return { child, ended };
}

/** Runs a program out of sight; what it prints is shown only if it fails. */
export async function runQuietly(command, args, { env, ...options } = {}) {
  const { child, ended } = start(command, args, {
    ...options,
    env: { ...env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${leash}`.trim() },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-keptOutput)));
  }
  const code = await ended;
  if (requested !== undefined) process.exit(codeOf(null, requested));
  if (code !== 0)
    throw new CommandFailure(`${[command, ...args].join(' ')} failed with exit code ${code}.`, output.trim());
}

/** Runs a script under the pinned Node, out of sight. */
export function runScript(file, args = [], options = {}) {
  return runQuietly(pinnedNode(), [file, ...args], options);
}

/** Hands over to a program under the pinned Node, which has the terminal from now on. */
export function handOver(args) {
  return start(pinnedNode(), ['--import', leash, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
}
