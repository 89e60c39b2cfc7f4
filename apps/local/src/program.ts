import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Log } from './log-folder.js';
import type { ProcessRegister } from './process-register.js';
import type { RunningService, Service } from './service.js';
import { StartFailure } from './start-failure.js';

/** The exit code (EX_CONFIG) by which a program says that its last line tells the user what to mend. */
const badConfiguration = 78;

export interface ProgramOptions {
  readonly name: string;
  /** The program's file and arguments, run by the Node that runs us. */
  readonly argv: readonly string[];
  /** Asked at each start, since a former service may have to be up before it is known. */
  readonly environment: () => NodeJS.ProcessEnv;
  /** Returns once the program is ready; it is not waited for any longer when the signal fires. */
  readonly untilReady: (signal: AbortSignal) => Promise<void>;
  readonly stopWithinMs: number;
  readonly followsBuild?: boolean;
}

export interface ProgramContext {
  /** The top folder of the project. */
  readonly root: string;
  readonly log: Log;
  readonly register: ProcessRegister;
}

/** Long enough for migrations on a large database, short enough to notice that nothing moves. */
const readyWithinMs = 300_000;

/** How long a program that is given up while it starts may take to end in good order. */
const startGraceMs = 3_000;

/** A service that is a Node program in a process of its own. */
export function program(options: ProgramOptions, context: ProgramContext): Service {
  const { name, stopWithinMs, followsBuild = false } = options;
  return { name, stopWithinMs, followsBuild, start: (signal) => startProgram(options, context, signal) };
}

async function startProgram(
  { name, argv, environment, untilReady }: ProgramOptions,
  { root, log, register }: ProgramContext,
  signal: AbortSignal,
): Promise<RunningService> {
  signal.throwIfAborted();
  const leash = pathToFileURL(join(root, 'scripts/support/leash.mjs')).href;
  const child = spawn(process.execPath, ['--import', leash, ...argv], {
    env: { ...environment(), MUSTER_LEASH: String(process.pid) },
    stdio: ['ignore', log.descriptor, log.descriptor, 'ipc'],
    // A group of its own: a Ctrl-C in the terminal reaches us alone, and we stop things in order.
    detached: true,
  });
  const exited = untilExit(name, child, register);
  const stop = (graceMs: number, hurry?: AbortSignal) => stopChild(child, exited, graceMs, hurry);

  const settled = new AbortController();
  const tooLate = AbortSignal.timeout(readyWithinMs);
  try {
    await Promise.race([
      untilReady(AbortSignal.any([signal, settled.signal, tooLate])),
      exited.then((how) => Promise.reject(failureOf(how, child, log))),
    ]);
  } catch (error) {
    await stop(startGraceMs);
    if (!tooLate.aborted) throw error;
    throw new StartFailure(
      `The ${name} is not ready after ${readyWithinMs / 60_000} minutes; its log is ${log.file}.`,
    );
  } finally {
    settled.abort();
  }
  return { exited, stop };
}

function untilExit(name: string, child: ChildProcess, register: ProcessRegister): Promise<string> {
  const { pid } = child;
  if (pid !== undefined) register.add(name, pid);
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(`The ${name} could not be started (${error.message})`));
    child.once('exit', (code, signal) => {
      if (pid !== undefined) register.remove(pid);
      resolve(
        signal === null ? `The ${name} ended with exit code ${code}` : `The ${name} was ended by ${signal}`,
      );
    });
  });
}

function failureOf(how: string, child: ChildProcess, log: Log): StartFailure {
  const [lastLine] = log.tail(1);
  if (child.exitCode === badConfiguration && lastLine) return new StartFailure(lastLine, badConfiguration);
  return new StartFailure(`${how} before it was ready; its log is ${log.file}.`);
}

async function stopChild(
  child: ChildProcess,
  exited: Promise<string>,
  graceMs: number,
  hurry: AbortSignal | undefined,
): Promise<void> {
  const force = () => child.kill('SIGKILL');
  child.kill(hurry?.aborted ? 'SIGKILL' : 'SIGTERM');
  const timer = setTimeout(force, graceMs);
  hurry?.addEventListener('abort', force, { once: true });
  await exited;
  clearTimeout(timer);
  hurry?.removeEventListener('abort', force);
}
