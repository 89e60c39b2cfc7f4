import { ADMIN, startApi, type ApiProcess } from './api.js';
import { createTestDatabase } from './database.js';
import { freePort } from './free-port.js';
import { startProcess } from './process.js';

export interface Product {
  readonly consoleUrl: string;
  readonly apiUrl: string;
  readonly adminUser: string;
  readonly adminPassword: string;
  readonly database: { readonly url: string };
  /** The API can go away and come back at the same address. */
  readonly api: { stop(): Promise<void>; start(): Promise<void> };
  stop(): Promise<void>;
}

/** Database, API and console as they are shipped, on free ports. */
export async function startProduct(settings: Record<string, string> = {}): Promise<Product> {
  const database = await createTestDatabase();
  const port = await freePort();
  const launch = () => startApi(database.url, { ...settings, PORT: String(port) });
  let api: ApiProcess = await launch();
  const consolePort = await freePort();
  const console = startProcess('apps/console/.next/standalone/apps/console/server/main.ts', {
    CONSOLE_PORT: String(consolePort),
    CONSOLE_HOST: '127.0.0.1',
    MUSTER_API_URL: api.url,
  });
  await console.saw(/Console ready/);
  return {
    consoleUrl: `http://127.0.0.1:${consolePort}`,
    apiUrl: api.url,
    adminUser: ADMIN.username,
    adminPassword: ADMIN.password,
    database,
    api: {
      stop: () => api.stop(),
      start: async () => {
        api = await launch();
      },
    },
    stop: async () => {
      await Promise.all([console.stop(), api.stop()]);
      await database.drop();
    },
  };
}
