import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.js';
import { startProcess, type RunningProcess } from './process.js';

export const ADMIN = { username: 'admin', password: 'correct horse battery' };

export interface ApiProcess extends RunningProcess {
  readonly url: string;
  readonly port: number;
}

/** A real API process on that database. Resolves when it is ready, unless told not to wait. */
export async function startApi(
  databaseUrl: string,
  settings: Record<string, string> = {},
  { waitUntilReady = true } = {},
): Promise<ApiProcess> {
  const port = Number(settings.PORT ?? (await freePort()));
  const dataDirectory = await mkdtemp(path.join(os.tmpdir(), 'muster-api-'));
  const api = startProcess('dist/apps/api/src/main.js', {
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    MUSTER_HOST: '127.0.0.1',
    MUSTER_DATA_DIR: dataDirectory,
    MUSTER_ADMIN_PASSWORD: ADMIN.password,
    ...settings,
  });
  void api.exited.then(() => rm(dataDirectory, { recursive: true, force: true }));
  if (waitUntilReady) await api.saw(/"msg":"ready"/);
  return { ...api, port, url: `http://127.0.0.1:${port}` };
}
