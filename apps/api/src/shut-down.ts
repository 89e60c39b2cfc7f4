import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { Sockets } from './realtime/sockets.js';
import type { Runtime } from './runtime.js';

/** Whoever sent the signal waits this long before it kills. */
const LIMIT_MS = 10_000;
/** A caller that has sent half a request by then will hardly send the rest. */
const REQUESTS_MS = 5_000;

/**
 * Leaves in an order that loses nothing: first nobody sends us anything new and we take on no new duty, then
 * what is under way is finished, and the way to the database closes last, since all of that needs it.
 */
export function shutDownOnSignal(runtime: Runtime, app: INestApplication): void {
  let leaving = false;
  const leave = (signal: NodeJS.Signals) => {
    if (leaving) return;
    leaving = true;
    runtime.log.info({ signal }, 'shutting down');
    setTimeout(() => {
      runtime.log.error('shutting down took too long');
      process.exit(1);
    }, LIMIT_MS).unref();
    void shutDown(runtime, app).then(() => process.exit(0));
  };
  process.once('SIGTERM', leave);
  process.once('SIGINT', leave);
}

export async function shutDown(runtime: Runtime, app: INestApplication): Promise<void> {
  const { readiness, leadership, queue, bus, database, log } = runtime;
  const steps: Array<[name: string, step: () => unknown]> = [
    ['say that we are leaving', () => readiness.leave()],
    ['give up leadership', () => leadership.stop()],
    ['take no more queued work', () => queue.stop()],
    ['answer and close sockets', () => app.get(Sockets).close()],
    ['finish requests', () => finishRequests(app)],
    ['send the last signals', () => bus.stop()],
    ['close the database', () => database.close()],
  ];
  for (const [name, step] of steps) {
    try {
      await step();
      log.debug({ step: name }, 'shut-down step done');
    } catch (error) {
      // One step that fails must not keep the others from being taken.
      log.error({ err: error, step: name }, 'shut-down step failed');
    }
  }
}

async function finishRequests(app: INestApplication): Promise<void> {
  const server = app.getHttpServer() as Server;
  const impatience = setTimeout(() => server.closeAllConnections(), REQUESTS_MS);
  await app.close();
  clearTimeout(impatience);
}
