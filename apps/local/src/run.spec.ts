import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { findFreePort } from '@muster/data/embedded/free-port';
import { majorVersionAt } from '@muster/data/embedded/one-off-client';
import { identifyProcess, waitUntilGone, type ProcessIdentity } from '@muster/data/embedded/process-identity';

jest.setTimeout(60_000);

const dist = join(process.cwd(), 'dist/apps/local/src');

/** The supervisor with the real database and, in place of the API, a program that does what it is told. */
const supervisorScript = `
  const [, api] = process.argv;
  const { run } = await import('${dist}/run.js');
  const { embeddedDatabase } = await import('${dist}/embedded-database.js');
  const { program } = await import('${dist}/program.js');
  const { untilAnswered } = await import('${dist}/readiness.js');
  process.exit(await run({
    development: false,
    services: ({ root, settings, folder, logs, register }) => [
      embeddedDatabase(folder, logs.open('database')),
      program({
        name: 'api',
        argv: [api],
        environment: () => ({ ...process.env, PORT: String(settings.apiPort) }),
        untilReady: (signal) => untilAnswered('http://127.0.0.1:' + settings.apiPort, (status) => status === 200, signal),
        stopWithinMs: 1_000,
      }, { root, log: logs.open('api'), register }),
    ],
  }));`;

const obedientApi = `
  const server = require('node:http').createServer((_, answer) => answer.end(String(process.pid)));
  server.listen(process.env.PORT, '127.0.0.1');
  process.on('SIGTERM', () => process.exit(0));`;

const deafApi = obedientApi.replace(`process.exit(0)`, `console.log('not listening')`);

const misconfiguredApi = `console.log('{"level":30}'); console.error('MUSTER_GUESTS is neither true nor false.'); process.exit(78);`;

describe('the product on one machine', () => {
  let folder: string;
  let port: number;
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-run-'));
  });

  beforeEach(async () => {
    port = await findFreePort();
  });

  afterEach(async () => {
    for (const child of started.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
    }
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function launch(api: string, environment: NodeJS.ProcessEnv = {}): Promise<Launched> {
    const script = join(folder, 'api.cjs');
    await writeFile(script, api);
    const child = spawn(process.execPath, ['--input-type=module', '-e', supervisorScript, script], {
      env: {
        ...process.env,
        DATABASE_URL: '',
        MUSTER_DATA_DIR: folder,
        PORT: String(port),
        CONSOLE_PORT: String(await findFreePort()),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    return new Launched(child);
  }

  const apiPid = async () => Number(await (await fetch(`http://127.0.0.1:${port}`)).text());
  const databasePid = async () =>
    Number.parseInt(await readFile(join(folder, 'postgres/data/postmaster.pid'), 'utf8'), 10);

  async function ours(): Promise<ProcessIdentity[]> {
    return [await apiPid(), await databasePid()].map((pid) => identifyProcess(pid)!);
  }

  it('says when it runs, keeps the address of its database, and leaves nothing running', async () => {
    const product = await launch(obedientApi);
    await product.says('Muster is running.');
    const processes = await ours();
    const url = await readFile(join(folder, 'database-url'), 'utf8');
    expect(await majorVersionAt(url)).toBeGreaterThanOrEqual(15);
    expect((await stat(join(folder, 'database-url'))).mode & 0o777).toBe(0o600);

    product.child.kill('SIGTERM');
    expect(await product.ended).toEqual([0, null]);
    for (const process of processes) expect(identifyProcess(process.pid)).not.toEqual(process);
  });

  it('starts a killed program again, and a killed database on the same port', async () => {
    const product = await launch(obedientApi);
    await product.says('Muster is running.');
    const [api, database] = await ours();
    const url = await readFile(join(folder, 'database-url'), 'utf8');

    process.kill(api!.pid, 'SIGKILL');
    await product.says('The api is ready again.');
    expect(await apiPid()).not.toBe(api!.pid);

    process.kill(database!.pid, 'SIGKILL');
    await product.says('The database is ready again.');
    expect(await databasePid()).not.toBe(database!.pid);
    expect(await majorVersionAt(url)).toBeGreaterThanOrEqual(15);
  });

  it('takes everything with it when it is killed, and starts again at once', async () => {
    const first = await launch(obedientApi);
    await first.says('Muster is running.');
    const processes = await ours();
    first.child.kill('SIGKILL');
    await first.ended;

    const second = await launch(obedientApi);
    await second.says('Muster is running.');
    for (const process of processes) expect(await waitUntilGone(process, 0)).toBe(true);
  });

  it('forces a program that does not end by itself', async () => {
    const product = await launch(deafApi);
    await product.says('Muster is running.');
    const processes = await ours();
    product.child.kill('SIGTERM');
    expect(await product.ended).toEqual([0, null]);
    for (const process of processes) expect(await waitUntilGone(process, 0)).toBe(true);
  });

  it('can be stopped while it starts', async () => {
    const product = await launch(`setInterval(() => undefined, 1_000)`);
    await product.says('The database is ready');
    product.child.kill('SIGINT');
    expect(await product.ended).toEqual([0, null]);
  });

  it('passes on what a program says about its settings', async () => {
    const product = await launch(misconfiguredApi);
    expect(await product.ended).toEqual([78, null]);
    expect(product.errors).toEqual(['MUSTER_GUESTS is neither true nor false.']);
  });

  it('says where to look when a program does not start', async () => {
    const product = await launch(`process.exit(3)`);
    expect(await product.ended).toEqual([1, null]);
    expect(product.errors).toEqual([
      `The api ended with exit code 3 before it was ready; its log is ${folder}/logs/api.log.`,
    ]);
  });

  it('refuses a data folder that is in use', async () => {
    const first = await launch(obedientApi);
    await first.says('Muster is running.');
    const second = await launch(obedientApi);
    expect(await second.ended).toEqual([1, null]);
    expect(second.errors).toEqual([expect.stringMatching(/^Muster already runs with the data folder .*\.$/)]);
  });

  it('refuses a port that is taken', async () => {
    const other = createServer().listen(port);
    await once(other, 'listening');
    const product = await launch(obedientApi);
    expect(await product.ended).toEqual([1, null]);
    expect(product.errors).toEqual([`Port ${port} is taken by another program; set PORT to another port.`]);
    other.close();
  });

  it('refuses a database that does not answer, without its password', async () => {
    const away = await findFreePort();
    const product = await launch(obedientApi, {
      DATABASE_URL: `postgresql://me:s3cret@127.0.0.1:${away}/db`,
    });
    expect(await product.ended).toEqual([1, null]);
    expect(product.errors).toEqual([
      `The database at 127.0.0.1:${away}/db (DATABASE_URL) does not answer: connect ECONNREFUSED 127.0.0.1:${away}.`,
    ]);
  });
});

/** A supervisor under way, with what it has said so far. */
class Launched {
  readonly errors: string[] = [];
  readonly ended: Promise<unknown[]>;
  private readonly lines: string[] = [];
  private readonly output: ReturnType<typeof createInterface>;

  constructor(readonly child: ChildProcess) {
    this.ended = once(child, 'close');
    this.output = createInterface({ input: child.stdout! });
    this.output.on('line', (line) => this.lines.push(line));
    createInterface({ input: child.stderr! }).on('line', (line) => this.errors.push(line));
  }

  async says(words: string): Promise<void> {
    while (!this.lines.some((line) => line.includes(words))) {
      const ended = await Promise.race([
        once(this.output, 'line').then(() => false),
        this.ended.then(() => true),
      ]);
      if (ended) throw new Error(['It ended before it said so:', ...this.lines, ...this.errors].join('\n'));
    }
  }
}
