import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import {
  startEmbeddedServer,
  type EmbeddedServer,
  type EmbeddedServerOptions,
} from '@muster/data/embedded/embedded-server';
import { startApi, type ApiProcess } from './api.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './database.js';
import { startDatabaseProxy, type DatabaseProxy } from './database-proxy.js';
import { startProcess, type RunningProcess } from './process.js';

/** A server of the scenario's own, which it may kill, fill or forbid to write. */
export interface OwnServer {
  readonly url: string;
  readonly pid: number;
  readonly exited: Promise<void>;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Starts it again where it was, after it was killed or stopped. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Everything that a scenario starts. Its end comes newest first and whatever the outcome was; processes are
 * killed, since they may be paused or wait for something that never happens.
 */
export class Scenario {
  private readonly ends: Array<() => unknown> = [];

  atEnd(end: () => unknown): void {
    this.ends.push(end);
  }

  async end(): Promise<void> {
    const failures: unknown[] = [];
    for (const end of this.ends.splice(0).reverse()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'A scenario did not end well');
  }

  async api(
    databaseUrl: string,
    settings: Record<string, string> = {},
    { waitUntilReady = true } = {},
  ): Promise<ApiProcess> {
    const api = await startApi(databaseUrl, settings, { waitUntilReady: false });
    this.killAtEnd(api);
    if (waitUntilReady) await api.saw(/"msg":"ready"/);
    return api;
  }

  process(script: string, environment: Record<string, string>): RunningProcess {
    return this.killAtEnd(startProcess(script, environment));
  }

  async database(): Promise<TestDatabase> {
    const database = await createTestDatabase();
    this.atEnd(() => database.drop());
    return database;
  }

  async emptyDatabase(): Promise<Pick<TestDatabase, 'url' | 'query'>> {
    const { url, drop } = await createEmptyDatabase();
    this.atEnd(drop);
    return { url, query: (text, values) => queryOnce(url, text, values) };
  }

  async proxy(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = await startDatabaseProxy(databaseUrl);
    this.atEnd(() => proxy.close());
    return proxy;
  }

  async server(options: Partial<EmbeddedServerOptions> = {}): Promise<OwnServer> {
    const directory = options.directory ?? (await this.folder());
    const launch = (port?: number) =>
      startEmbeddedServer({ port, ...options, directory, settings: { fsync: 'off', ...options.settings } });
    let server: EmbeddedServer = await launch();
    this.atEnd(() => server.stop({ graceMs: 0 }));
    return {
      url: server.url,
      get pid() {
        return server.pid;
      },
      get exited() {
        return server.exited;
      },
      query: (text, values) => queryOnce(server.url, text, values),
      restart: async () => {
        server = await launch(server.port);
      },
      stop: () => server.stop(),
    };
  }

  async folder(): Promise<string> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'muster-scenario-'));
    this.atEnd(() => rm(folder, { recursive: true, force: true }));
    // Run by root, PostgreSQL is somebody else, who must get in.
    await chmod(folder, 0o755);
    return path.join(folder, 'server');
  }

  private killAtEnd<Running extends RunningProcess>(running: Running): Running {
    this.atEnd(async () => {
      running.signal('SIGKILL');
      await running.exited;
    });
    return running;
  }
}

async function queryOnce<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'test' });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
