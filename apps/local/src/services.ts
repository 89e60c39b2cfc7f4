import { join } from 'node:path';
import type { DataFolder } from './data-folder.js';
import { embeddedDatabase } from './embedded-database.js';
import type { LogFolder } from './log-folder.js';
import type { ProcessRegister } from './process-register.js';
import { program, type ProgramOptions } from './program.js';
import { untilAnswered } from './readiness.js';
import { grantReportingLogin } from './reporting-login.js';
import type { Service } from './service.js';
import type { Settings } from './settings.js';

export interface Surroundings {
  /** The top folder of the project. */
  readonly root: string;
  readonly settings: Settings;
  readonly folder: DataFolder;
  readonly logs: LogFolder;
  readonly register: ProcessRegister;
  readonly development: boolean;
}

/** What runs on this machine, in the order in which it is started. */
export function allServices({
  root,
  settings,
  folder,
  logs,
  register,
  development,
}: Surroundings): Service[] {
  const { apiPort, consolePort, databaseUrl } = settings;
  const database = databaseUrl === undefined ? embeddedDatabase(folder, logs.open('database')) : undefined;
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const consoleUrl = `http://127.0.0.1:${consolePort}`;
  const common = { ...process.env, NODE_ENV: development ? 'development' : 'production' };
  const node = (options: ProgramOptions) =>
    program(options, { root, log: logs.open(options.name), register });

  const api = node({
    name: 'API',
    argv: [join(root, 'dist/apps/api/src/main.js')],
    environment: () => ({
      ...common,
      PORT: String(apiPort),
      MUSTER_DATA_DIR: folder.path,
      DATABASE_URL: database?.url ?? databaseUrl,
      ...(database && { MUSTER_EMBEDDED: 'true' }),
    }),
    untilReady: async (signal) => {
      await untilAnswered(`${apiUrl}/readyz`, (status) => status === 200, signal);
      if (database) await grantReportingLogin(database.url, folder);
    },
    stopWithinMs: 10_000,
    followsBuild: true,
  });

  const pages = node({
    name: 'console',
    argv: [join(root, 'apps/console', development ? '' : '.next/standalone/apps/console', 'server/main.ts')],
    environment: () => ({
      ...withoutSecrets(common),
      CONSOLE_PORT: String(consolePort),
      MUSTER_API_URL: apiUrl,
    }),
    untilReady: (signal) => untilAnswered(consoleUrl, (status) => status < 500, signal),
    stopWithinMs: 2_000,
  });

  return [...(database ? [database] : []), api, pages];
}

/** The console asks the API for everything, so what only the API may know is kept from it. */
function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const harmless = ([name]: [string, unknown]) => !/DATABASE_URL|PASSWORD|SECRET|TOKEN/.test(name);
  return Object.fromEntries(Object.entries(environment).filter(harmless));
}
