/**
 * The console's server. In production it runs inside the folder that `next build` makes
 * (.next/standalone/apps/console/server/main.ts), in development beside the sources.
 *
 *   CONSOLE_PORT     where to listen (3000)
 *   CONSOLE_HOST     on which address (all)
 *   MUSTER_API_URL   where the API is (http://127.0.0.1:4000)
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import type createNext from 'next';
import { createFront } from './front.ts';
import { readSettings } from './settings.ts';
import type { Settings } from './settings.ts';

/** EX_CONFIG: the last line says what the user has to mend. */
const BAD_CONFIGURATION = 78;
const SHUTDOWN_MS = 1_500;

const dir = path.dirname(import.meta.dirname);
const dev = process.env.NODE_ENV === 'development';
const settings = settingsOrExit();

process.chdir(dir);
Object.assign(process.env, {
  NODE_ENV: dev ? 'development' : 'production',
  NEXT_TELEMETRY_DISABLED: '1',
  // The pages ask the API, too: one address for both.
  MUSTER_API_URL: settings.api.href,
  ...(dev ? {} : { __NEXT_PRIVATE_STANDALONE_CONFIG: builtConfiguration() }),
});

const next = createRequire(import.meta.url)('next') as typeof createNext;
// Next listens for upgrades on the server it is given. Ours to route, they reach it through this one.
const behind = createServer();
const app = next({ dev, dir, port: settings.port, hostname: settings.host, httpServer: behind });
await app.prepare();

const server = createFront(settings.api, {
  request: app.getRequestHandler(),
  // Hot reloading; what is built needs none.
  upgrade: dev ? (request, socket, head) => void behind.emit('upgrade', request, socket, head) : undefined,
});

const upgraded = new Set<Duplex>();
server.on('upgrade', (_request, socket) => {
  upgraded.add(socket);
  socket.on('close', () => upgraded.delete(socket));
});
server.on('error', (error: NodeJS.ErrnoException) => {
  exitFor(
    error.code === 'EADDRINUSE'
      ? `Port ${settings.port} is taken: set CONSOLE_PORT to another one.`
      : `The console cannot listen on port ${settings.port}: ${error.message}`,
  );
});
server.listen(settings.port, settings.host, () => {
  console.log(`Console ready on http://localhost:${settings.port}`);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, shutDown);

/** Answers what is under way, ends what is held open, and is gone soon in any case. */
function shutDown(): void {
  server.close(() => process.exit(0));
  for (const socket of upgraded) socket.destroy();
  setTimeout(() => process.exit(0), SHUTDOWN_MS).unref();
}

function settingsOrExit(): Settings {
  try {
    return readSettings(process.env);
  } catch (error) {
    return exitFor((error as Error).message);
  }
}

function exitFor(reason: string): never {
  console.error(reason);
  process.exit(BAD_CONFIGURATION);
}

/** Next reads its configuration from the environment where there is no next.config.ts, as its own server does. */
function builtConfiguration(): string {
  const built = JSON.parse(readFileSync(path.join(dir, '.next/required-server-files.json'), 'utf8'));
  return JSON.stringify(built.config);
}
