import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { describeAddress } from '@muster/data/connection';
import { Database } from '@muster/data/database';
import { isUnavailable } from '@muster/data/errors';
import { Leadership } from '@muster/data/leadership';
import { migrate } from '@muster/data/migrations/migrate';
import { Queue } from '@muster/data/queue/queue';
import { SignalBus } from '@muster/data/signal-bus';
import { ensureFirstAdmin } from './auth/first-admin.js';
import { Readiness } from './health/readiness.js';
import { createServer } from './http/server.js';
import { createLog } from './log.js';
import { startMaintenance } from './maintenance/maintenance.js';
import { EVENTS_COMMITTED } from './realtime/topics.js';
import type { Runtime } from './runtime.js';
import { BadSetting, readSettings, type Settings } from './settings.js';
import { shutDownOnSignal } from './shut-down.js';

/** sysexits.h: something in the configuration is wrong, and starting again will not help. */
const EXIT_CONFIGURATION = 78;
const RETRY_MS = 500;

/** An API process from its settings to its first request. It listens at once, and is ready when it can serve. */
export async function start(environment: NodeJS.ProcessEnv): Promise<void> {
  const settings = settingsOrExit(environment);
  const runtime = assemble(settings);
  const app = await createServer(runtime);
  shutDownOnSignal(runtime, app);
  await listenOrExit(app, runtime);
  await prepareDatabase(runtime);
  if (runtime.readiness.state === 'leaving') return;
  runtime.bus.start();
  await startMaintenance(runtime);
  runtime.readiness.serve();
  runtime.log.info({ port: settings.PORT }, 'ready');
}

export function assemble(settings: Settings): Runtime {
  const log = createLog(settings.MUSTER_LOG_LEVEL, 'api');
  const database: Database = new Database({
    url: settings.DATABASE_URL,
    name: 'muster-api',
    maxConnections: settings.MUSTER_DB_CONNECTIONS,
    statementTimeoutMs: settings.MUSTER_STATEMENT_TIMEOUT_MS,
    onEvents: () => void bus.publish(EVENTS_COMMITTED),
    onEffectFailure: (error) => log.error({ err: error }, 'a side effect of a committed change failed'),
    onAvailability: (state, openForMs) => noteAvailability(runtime, state, openForMs),
  });
  const bus: SignalBus = new SignalBus({ database, log });
  // Its heartbeat notices a silent database sooner than the statements that wait for an answer.
  bus.onStateChange((connected) => {
    if (!connected) database.breaker.suspect();
  });
  const runtime: Runtime = {
    settings,
    log,
    database,
    bus,
    queue: new Queue({ database, log }),
    leadership: new Leadership({ database, bus, duty: 'maintenance', log }),
    readiness: new Readiness(() => database.breaker.isOpen),
  };
  return runtime;
}

/**
 * Waits for a database that is not there yet, or goes away meanwhile: all that is done here can be repeated.
 * Whoever is first migrates, the others wait for that too.
 */
async function prepareDatabase({ settings, log, readiness, database }: Runtime): Promise<void> {
  const isLeaving = () => readiness.state === 'leaving';
  while (!isLeaving()) {
    try {
      const applied = await migrate(settings.DATABASE_URL);
      log.info({ applied }, 'the database is up to date');
      await ensureFirstAdmin(database, settings, log);
      return;
    } catch (error) {
      if (isLeaving()) return;
      if (!isUnavailable(error)) exit(settings, error);
      log.warn({ err: error, database: describeAddress(settings.DATABASE_URL) }, 'waiting for the database');
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** An absence is a matter for the audit trail, as soon as there is one again. */
function noteAvailability({ database, log }: Runtime, state: 'open' | 'closed', openForMs: number): void {
  if (state === 'open') {
    log.error('the database is away');
    return;
  }
  log.info({ openForMs: Math.round(openForMs) }, 'the database is back');
  database
    .record({
      eventType: 'database_degraded',
      severity: 'error',
      actor: 'system:api',
      description: `The database was away for ${(openForMs / 1_000).toFixed(1)} s`,
      eventData: { awayMs: Math.round(openForMs) },
    })
    .catch((error: unknown) => log.warn({ err: error }, 'the absence was not recorded'));
}

function settingsOrExit(environment: NodeJS.ProcessEnv): Settings {
  try {
    return readSettings(environment);
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_CONFIGURATION);
  }
}

async function listenOrExit(app: NestFastifyApplication, { settings }: Runtime): Promise<void> {
  try {
    await app.listen(settings.PORT, settings.MUSTER_HOST);
  } catch (error) {
    process.stderr.write(`${whyNotListening(error as NodeJS.ErrnoException, settings)}\n`);
    process.exit(EXIT_CONFIGURATION);
  }
}

function whyNotListening({ code, message }: NodeJS.ErrnoException, { PORT, MUSTER_HOST }: Settings): string {
  if (code === 'EADDRINUSE') return `Port ${PORT} is in use; choose another with PORT`;
  if (code === 'EACCES') return `Port ${PORT} may not be used; choose another with PORT`;
  return `The API cannot listen on ${MUSTER_HOST} (MUSTER_HOST), port ${PORT}: ${message}`;
}

function exit(settings: Settings, error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message} (${describeAddress(settings.DATABASE_URL)})\n`);
  process.exit(EXIT_CONFIGURATION);
}
