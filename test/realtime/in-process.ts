import type { AddressInfo } from 'node:net';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ensureFirstAdmin } from '../../apps/api/src/auth/first-admin.js';
import { createServer } from '../../apps/api/src/http/server.js';
import type { Runtime } from '../../apps/api/src/runtime.js';
import { readSettings } from '../../apps/api/src/settings.js';
import { shutDown } from '../../apps/api/src/shut-down.js';
import { assemble } from '../../apps/api/src/start.js';
import { ADMIN } from '../support/api.js';

export interface InProcessApi {
  readonly url: string;
  readonly app: NestFastifyApplication;
  readonly runtime: Runtime;
  stop(): Promise<void>;
}

/** The API within the test's own process, for tests that bring events of their own or look at its parts. */
export async function startInProcess(
  databaseUrl: string,
  settings: Record<string, string> = {},
  more: Type[] = [],
): Promise<InProcessApi> {
  const runtime = assemble(
    readSettings({
      DATABASE_URL: databaseUrl,
      MUSTER_LOG_LEVEL: 'silent',
      MUSTER_ADMIN_PASSWORD: ADMIN.password,
      ...settings,
    }),
  );
  const app = await createServer(runtime, more);
  await app.listen(0, '127.0.0.1');
  await ensureFirstAdmin(runtime.database, runtime.settings, runtime.log);
  const listens = new Promise<void>((resolve) => runtime.bus.onGap(resolve));
  runtime.bus.start();
  await listens;
  runtime.readiness.serve();
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, app, runtime, stop: () => shutDown(runtime, app) };
}
