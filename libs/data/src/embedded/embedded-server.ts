import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { locateBinaries } from './binaries.js';
import { openCluster, superuser } from './cluster.js';
import { EmbeddedServerError, explainFileError } from './embedded-errors.js';
import { findFreePort } from './free-port.js';
import { openHome, type Home } from './home.js';
import { killLeftoverBackends, stopLeftoverServer } from './leftovers.js';
import { LockHeldError, takeLock, type LockFile } from './lock-file.js';
import { ensureDatabase } from './one-off-client.js';
import { launchPostmaster, type Postmaster, type PostmasterOptions } from './postmaster.js';

export interface EmbeddedServerOptions {
  /** The folder that holds everything of this server. */
  readonly directory: string;
  /** The database that the URL leads to, made if it is not there. */
  readonly database?: string;
  /** Any settings of PostgreSQL, over the ones below. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Exactly this port, to come back where clients expect the server; without it any free one. */
  readonly port?: number;
  readonly onLog?: (line: string) => void;
  /** Gives up a start under way. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Settles when the server has ended, for whatever reason. */
  readonly exited: Promise<void>;
  stop(options?: { graceMs?: number }): Promise<void>;
}

const defaultSettings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
};

// Backends of a killed server have this long to vanish; those that stay are then ended.
const leftoverPatienceMs = 500;
const leftoverLimitMs = 10_000;
const portAttempts = 20;

/** Starts a PostgreSQL server of our own on the loopback address, making its cluster if need be. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const directory = resolve(options.directory);
  try {
    return await start({ ...options, directory });
  } catch (error) {
    throw explainFileError(error, directory);
  }
}

async function start(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { settings, database = 'muster', onLog = () => undefined, signal } = options;
  const home = await openHome(options.directory);
  const lock = claim(home);
  try {
    const binaries = await locateBinaries(home.user);
    const durable = settings?.['fsync'] !== 'off';
    const password = await openCluster({ home, binaries, durable, signal });
    await stopLeftoverServer(home.data);
    const [postmaster, port] = await launch(
      { home, binaries, settings: { ...defaultSettings, ...settings }, onLog, signal },
      options.port,
    );
    const urlOf = (name: string) => `postgresql://${superuser}:${password}@127.0.0.1:${port}/${name}`;
    try {
      await ensureDatabase(urlOf('postgres'), database);
    } catch (error) {
      await postmaster.stop(0);
      throw error;
    }
    const exited = postmaster.exited.then(() => lock.release());
    return {
      url: urlOf(database),
      port,
      pid: postmaster.pid,
      exited,
      stop: async ({ graceMs = 10_000 } = {}) => {
        await postmaster.stop(graceMs);
        await exited;
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** One process at a time: a server whose process lives is in use, not left over. */
function claim(home: Home): LockFile {
  try {
    return takeLock(join(home.path, 'owner'));
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    throw new EmbeddedServerError('DIRECTORY_IN_USE', `Another process uses the database in ${home.path}.`, {
      cause: error,
    });
  }
}

async function launch(
  options: PostmasterOptions,
  wantedPort: number | undefined,
): Promise<[Postmaster, number]> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const port = wantedPort ?? (await findFreePort());
    try {
      const settings = { ...options.settings, port: String(port) };
      return [await launchPostmaster({ ...options, settings }), port];
    } catch (error) {
      if (!(error instanceof EmbeddedServerError)) throw error;
      const waitedMs = performance.now() - startedAt;
      const again =
        (error.code === 'PORT_TAKEN' && wantedPort === undefined && attempt < portAttempts) ||
        (error.code === 'LEFTOVER_PROCESSES' && waitedMs < leftoverLimitMs);
      if (!again) throw error;
      if (error.code === 'LEFTOVER_PROCESSES') {
        if (waitedMs > leftoverPatienceMs) killLeftoverBackends(options.home.data);
        await delay(100, undefined, { signal: options.signal });
      }
    }
  }
}
