import { resolve } from 'node:path';
import { StartFailure } from './start-failure.js';

/** The settings that this program itself needs; each service reads and checks its own further ones. */
export interface Settings {
  readonly apiPort: number;
  readonly consolePort: number;
  readonly dataDirectory: string;
  /** A PostgreSQL of the user's own; without it the embedded one is started. */
  readonly databaseUrl: string | undefined;
  readonly adminUser: string;
  readonly adminPasswordGiven: boolean;
}

export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const read = (name: string) => environment[name]?.trim() || undefined;
  const settings = {
    apiPort: port('PORT', read('PORT') ?? '4000'),
    consolePort: port('CONSOLE_PORT', read('CONSOLE_PORT') ?? '3000'),
    dataDirectory: resolve(read('MUSTER_DATA_DIR') ?? '.muster'),
    databaseUrl: databaseUrl(read('DATABASE_URL')),
    adminUser: read('MUSTER_ADMIN_USER') ?? 'admin',
    adminPasswordGiven: read('MUSTER_ADMIN_PASSWORD') !== undefined,
  };
  if (settings.apiPort === settings.consolePort) {
    throw new StartFailure(`PORT and CONSOLE_PORT are both ${settings.apiPort}; they have to differ.`);
  }
  return settings;
}

function port(name: string, value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1 || number > 65_535) {
    throw new StartFailure(`${name} is "${value}", but a port is a whole number from 1 to 65535.`);
  }
  return number;
}

/** The value itself is never repeated: it holds a password. */
function databaseUrl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !/^postgres(ql)?:$/.test(new URL(value).protocol)) {
    throw new StartFailure('DATABASE_URL is not of the form postgresql://user:password@host:port/database.');
  }
  return value;
}
