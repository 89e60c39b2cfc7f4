import { resolve } from 'node:path';
import { openDataFolder, type DataFolder } from './data-folder.js';
import { requireDatabase } from './database-check.js';
import { LogFolder } from './log-folder.js';
import { requireFreePort } from './ports.js';
import { ProcessRegister } from './process-register.js';
import type { Service } from './service.js';
import { allServices, type Surroundings } from './services.js';
import { readSettings, type Settings } from './settings.js';
import { StartFailure } from './start-failure.js';
import { onStopRequest } from './stop-requests.js';
import { hasAdminPassword, summary } from './summary.js';
import { Supervisor } from './supervisor.js';

const logCheckMs = 10_000;
const linesShown = 15;

export interface RunOptions {
  readonly development: boolean;
  /** The parts to run; others than the real ones serve to test how they are looked after. */
  readonly services?: (surroundings: Surroundings) => Service[];
}

/** Runs the whole product until it is asked to stop, and returns the exit code. */
export async function run(options: RunOptions): Promise<number> {
  try {
    const settings = readSettings(process.env);
    const folder = await openDataFolder(settings.dataDirectory);
    try {
      return await serve(settings, folder, options);
    } finally {
      folder.release();
    }
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    console.error(error.message);
    return error.exitCode;
  }
}

async function serve(
  settings: Settings,
  folder: DataFolder,
  { development, services = allServices }: RunOptions,
): Promise<number> {
  const register = new ProcessRegister(folder.file('processes.json'));
  await register.stopLeftovers();
  await requireFreePort(settings.apiPort, 'PORT');
  await requireFreePort(settings.consolePort, 'CONSOLE_PORT');
  if (settings.databaseUrl !== undefined) await requireDatabase(settings.databaseUrl);

  const logs = new LogFolder(folder.file('logs'));
  setInterval(() => logs.keepBounded(), logCheckMs).unref();
  const root = resolve(import.meta.dirname, '../../../..');
  const passwordIsOld = hasAdminPassword(folder);
  const end = Promise.withResolvers<'requested'>();

  const supervisor = new Supervisor(services({ root, settings, folder, logs, register, development }), {
    ready: (name, afterMs) => console.log(`The ${name} is ready (${(afterMs / 1_000).toFixed(1)} s).`),
    died: (name, how) => {
      const log = logs.open(name);
      console.error([`${how}. The end of ${log.file}:`, ...log.tail(linesShown)].join('\n    '));
    },
    recovered: (name) => console.log(`The ${name} is ready again.`),
    gaveUp: (failure) =>
      development ? console.error(`${failure.message} Waiting for a change.`) : end.reject(failure),
  });
  onStopRequest(
    () => {
      console.log('Stopping …');
      end.resolve('requested');
      void supervisor.stop();
    },
    () => supervisor.hurry(),
  );
  process.on('message', (message) => {
    if (message === 'rebuilt') void supervisor.restartBuilt();
  });

  try {
    const started = supervisor.start().then(() => console.log(summary(settings, folder, passwordIsOld)));
    await Promise.race([started.then(() => end.promise), end.promise]);
    return 0;
  } finally {
    await supervisor.stop();
  }
}
