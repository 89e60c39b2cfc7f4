import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { locateBinaries } from './binaries.js';
import { startEmbeddedServer, type EmbeddedServer, type EmbeddedServerOptions } from './embedded-server.js';
import { findFreePort } from './free-port.js';
import { identifyProcess, waitUntilGone } from './process-identity.js';

jest.setTimeout(60_000);

describe('the embedded server', () => {
  let root: string;
  let directory: string;
  const started: EmbeddedServer[] = [];

  async function start(options: Partial<EmbeddedServerOptions> = {}): Promise<EmbeddedServer> {
    const server = await startEmbeddedServer({ directory, settings: { fsync: 'off' }, ...options });
    started.push(server);
    return server;
  }

  // To make a cluster takes far longer than to start it, so all share one and leave it whole.
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'muster-embedded-'));
    await chmod(root, 0o755);
    directory = join(root, 'shared');
    await (await startEmbeddedServer({ directory, settings: { fsync: 'off' } })).stop();
  });

  afterEach(() => Promise.all(started.splice(0).map((server) => server.stop({ graceMs: 0 }))));

  afterAll(() => rm(root, { recursive: true }));

  it('serves an UTF-8 database in UTC on the loopback address, for its owner only', async () => {
    const server = await start();
    const [row] = await query(
      server.url,
      `SELECT current_database() AS database, current_user AS "user", inet_server_addr()::text AS address,
         current_setting('timezone') AS timezone, current_setting('server_encoding') AS encoding,
         (SELECT datlocprovider::text || ' ' || datlocale FROM pg_database WHERE datname = 'muster') AS locale`,
    );
    expect(row).toEqual({
      database: 'muster',
      user: 'muster',
      address: '127.0.0.1/32',
      timezone: 'UTC',
      encoding: 'UTF8',
      locale: 'b C.UTF-8',
    });
    expect((await stat(join(directory, 'password'))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it('accepts nobody without the password', async () => {
    const { port } = await start();
    await expect(query(`postgresql://muster:guess@127.0.0.1:${port}/muster`, 'SELECT')).rejects.toThrow(
      'password authentication failed',
    );
  });

  it('keeps what was written over a restart, with the same password', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE IF NOT EXISTS kept AS SELECT 42 AS answer');
    await first.stop();
    const second = await start();
    expect(await query(second.url, 'SELECT * FROM kept')).toEqual([{ answer: 42 }]);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
  });

  it('runs side by side with another one', async () => {
    const here = await start();
    const there = await start({ directory: join(root, 'second'), database: 'other' });
    expect(here.port).not.toBe(there.port);
    expect(await query(there.url, 'SELECT current_database() AS name')).toEqual([{ name: 'other' }]);
  });

  it('comes back on the same port, with all that was committed, after kill -9', async () => {
    const first = await start({ settings: {} });
    await query(first.url, 'CREATE TABLE IF NOT EXISTS kept AS SELECT 42 AS answer');
    // A backend that is busy does not notice by itself that its server is gone.
    const busy = query(first.url, `SELECT count(*) FROM generate_series(1, 1e9)`).catch(
      (error: Error) => error,
    );
    await untilActive(first.url, 'generate_series');

    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const second = await start({ settings: {}, port: first.port });

    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT * FROM kept')).toEqual([{ answer: 42 }]);
    expect(await busy).toBeInstanceOf(Error);
  });

  it('does not outlive a process that was killed', async () => {
    const owner = await startInAnotherProcess(directory);
    const postmaster = identifyProcess(owner.pid)!;
    owner.process.kill('SIGKILL');
    expect(await waitUntilGone(postmaster, 10_000)).toBe(true);
    await start();
  });

  it('stops a server on its folder that nobody owns any more', async () => {
    const data = join(directory, 'data');
    const user = await ownerOf(data);
    const { postgres } = await locateBinaries(user);
    const settings = ['unix_socket_directories=', `port=${await findFreePort()}`];
    const orphan = spawn(postgres, ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
      ...user,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(orphan, 'exit');
    await untilPrinted(orphan.stderr, 'ready to accept connections');

    expect(await query((await start()).url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await ended).toEqual([0, null]);
  });

  it('leaves a stranger alone that has got the pid of an earlier server', async () => {
    const stranger = spawn('/bin/sh', ['-c', 'read -r line'], {
      ...(await ownerOf(join(directory, 'data'))),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await once(stranger, 'spawn');
    await writeFile(
      join(directory, 'data', 'postmaster.pid'),
      `${stranger.pid}\n${join(directory, 'data')}\n0\n1\n`,
    );

    await start();

    expect(stranger.signalCode).toBeNull();
    stranger.stdin.end();
    expect(await once(stranger, 'exit')).toEqual([1, null]);
  });

  it('leaves nothing half-made when it is given up while the cluster is being made', async () => {
    const fresh = join(root, 'fresh');
    await expect(start({ directory: fresh, signal: AbortSignal.timeout(20) })).rejects.toThrow(/abort/);
    expect((await readdir(fresh)).filter((entry) => entry.startsWith('data'))).toEqual([]);

    await mkdir(join(fresh, 'data.new-1234'));
    await start({ directory: fresh });
    expect((await readdir(fresh)).sort()).toEqual(['data', 'owner', 'password']);
  });

  it('refuses a folder that another server uses', async () => {
    await start();
    await expect(start()).rejects.toMatchObject({ code: 'DIRECTORY_IN_USE' });
  });

  it('refuses a cluster of another major version', async () => {
    const older = join(root, 'older');
    await mkdir(join(older, 'data'), { recursive: true });
    await writeFile(join(older, 'data', 'PG_VERSION'), '14\n');
    await expect(start({ directory: older })).rejects.toMatchObject({
      code: 'OTHER_MAJOR_VERSION',
      message: expect.stringContaining('was made by PostgreSQL 14'),
    });
  });

  it('says so when the password is lost', async () => {
    const password = join(directory, 'password');
    await rename(password, `${password}.away`);
    await expect(start()).rejects.toMatchObject({ code: 'PASSWORD_LOST' });
    await rename(`${password}.away`, password);
  });

  it('refuses a path that is no folder', async () => {
    const file = join(root, 'file');
    await writeFile(file, '');
    await expect(start({ directory: file })).rejects.toMatchObject({
      code: 'DIRECTORY_NOT_WRITABLE',
    });
  });

  it('names a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(start({ port })).rejects.toMatchObject({ code: 'PORT_TAKEN' });
    other.close();
  });

  it('repeats what PostgreSQL says about a setting it does not take', async () => {
    await expect(start({ settings: { max_connections: 'many' } })).rejects.toMatchObject({
      code: 'NOT_STARTED',
      message: expect.stringContaining('invalid value for parameter "max_connections"'),
    });
  });

  const asRoot = process.getuid?.() === 0 ? it : it.skip;

  asRoot('does not start another cluster where the server cannot reach the one that is there', async () => {
    const moved = join(root, 'closed', 'database');
    await mkdir(join(moved, 'data'), { recursive: true });
    await chmod(join(root, 'closed'), 0o700);
    await expect(start({ directory: moved })).rejects.toMatchObject({ code: 'DIRECTORY_NOT_REACHABLE' });
  });

  asRoot('moves the cluster out of a folder that the server as another user cannot enter', async () => {
    await mkdir(join(root, 'private'), { mode: 0o700 });
    const hidden = join(root, 'private', 'database');

    const first = await start({ directory: hidden });
    await query(first.url, 'CREATE TABLE IF NOT EXISTS kept AS SELECT 42 AS answer');
    await first.stop();
    const home = (await readFile(join(hidden, 'moved-to'), 'utf8')).trim();
    try {
      expect(await readdir(hidden)).toEqual(['moved-to']);
      expect(await query((await start({ directory: hidden })).url, 'SELECT * FROM kept')).toEqual([
        { answer: 42 },
      ]);
    } finally {
      await Promise.all(started.splice(0).map((server) => server.stop({ graceMs: 0 })));
      await rm(home, { recursive: true });
    }
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns when a statement that holds these words is being executed. */
async function untilActive(url: string, words: string): Promise<void> {
  const sql = `SELECT FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%${words}%'`;
  while ((await query(url, sql)).length === 0);
}

async function untilPrinted(output: Readable, words: string): Promise<void> {
  for await (const line of createInterface({ input: output })) {
    if (line.includes(words)) return void output.resume();
  }
  throw new Error(`nothing printed "${words}"`);
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number }> {
  const { uid, gid } = await stat(path);
  return { uid, gid };
}

/** A server whose process we can kill; it is the built code that runs there. */
async function startInAnotherProcess(directory: string) {
  const script = `
    const { startEmbeddedServer } = await import(process.argv[1]);
    const server = await startEmbeddedServer({ directory: process.argv[2], settings: { fsync: 'off' } });
    console.log(server.pid);`;
  const built = join(process.cwd(), 'dist/libs/data/src/embedded/embedded-server.js');
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script, built, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = (await once(owner.stdout, 'data')) as [Buffer];
  return { process: owner, pid: Number(output.toString()) };
}
