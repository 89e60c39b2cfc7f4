import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { findFreePort } from '@muster/data/embedded/free-port';
import { majorVersionAt, withClient } from '@muster/data/embedded/one-off-client';
import { identifyProcess, isRunning, type ProcessIdentity } from '@muster/data/embedded/process-identity';

jest.setTimeout(120_000);

/** `npm start` on a data folder of its own, without what npm adds around it. */
class Product {
  readonly lines: string[] = [];
  readonly errors: string[] = [];
  readonly ended: Promise<number | null>;
  private readonly output;

  private constructor(
    private readonly child: ChildProcess,
    readonly folder: string,
    readonly apiUrl: string,
    readonly consoleUrl: string,
  ) {
    this.ended = once(child, 'close').then(([code]) => code as number | null);
    this.output = createInterface({ input: child.stdout! }).on('line', (line) => this.lines.push(line));
    createInterface({ input: child.stderr! }).on('line', (line) => this.errors.push(line));
  }

  static async start(folder: string, settings: NodeJS.ProcessEnv = {}): Promise<Product> {
    const { PATH, HOME } = process.env;
    const ports = { PORT: String(await findFreePort()), CONSOLE_PORT: String(await findFreePort()) };
    const env: NodeJS.ProcessEnv = { PATH, HOME, MUSTER_DATA_DIR: folder, ...ports, ...settings };
    const child = spawn(process.execPath, ['scripts/start.mjs'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const address = (port: string | undefined) => `http://127.0.0.1:${port}`;
    return new Product(child, folder, address(env['PORT']), address(env['CONSOLE_PORT']));
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async says(words: string): Promise<void> {
    while (!this.lines.some((line) => line.includes(words))) {
      const next = once(this.output, 'line').then(() => 'line');
      if ((await Promise.race([next, this.ended])) !== 'line') {
        throw new Error(['It ended before it said so:', ...this.lines, ...this.errors].join('\n'));
      }
    }
  }

  /** To the command alone, or to all that share its process group, as a terminal does. */
  signal(signal: NodeJS.Signals, to: 'command' | 'group' = 'command'): void {
    process.kill(to === 'group' ? -this.child.pid! : this.child.pid!, signal);
  }

  read(name: string): Promise<string> {
    return readFile(join(this.folder, name), 'utf8');
  }

  async processOf(name: string): Promise<ProcessIdentity> {
    const processes = JSON.parse(await this.read('processes.json')) as (ProcessIdentity & { name: string })[];
    const { pid, startedAt } = processes.find((process) => process.name === name)!;
    return { pid, startedAt };
  }

  async database(): Promise<ProcessIdentity> {
    return identifyProcess(Number.parseInt(await this.read('postgres/data/postmaster.pid'), 10))!;
  }

  async allProcesses(): Promise<ProcessIdentity[]> {
    return [await this.database(), await this.processOf('API'), await this.processOf('console')];
  }

  async readiness(): Promise<number> {
    return (await fetch(`${this.apiUrl}/readyz`)).status;
  }
}

describe('npm start', () => {
  let folder: string;
  const started: Product[] = [];

  const start = async (directory: string, settings?: NodeJS.ProcessEnv) => {
    const product = await Product.start(directory, settings);
    started.push(product);
    return product;
  };

  const stopAll = async () => {
    for (const product of started.splice(0)) {
      if (product.isRunning) product.signal('SIGTERM');
      await product.ended;
    }
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-start-'));
  });

  afterAll(async () => {
    await stopAll();
    await rm(folder, { recursive: true, force: true });
  });

  describe('on an empty data folder', () => {
    let product: Product;

    beforeAll(async () => {
      product = await start(folder);
      await product.says('Stop');
    });

    afterAll(stopAll);

    it('says where it is, and both answer', async () => {
      const port = (url: string) => new URL(url).port;
      expect(product.lines.join('\n')).toContain(`http://localhost:${port(product.consoleUrl)}`);
      expect(product.lines.join('\n')).toContain(`http://localhost:${port(product.apiUrl)}`);
      expect(await product.readiness()).toBe(200);
      expect((await fetch(`${product.consoleUrl}/sign-in`)).status).toBe(200);
    });

    it('prints the password that it made, and one can sign in with it', async () => {
      const password = (await product.read('admin-password')).trim();
      expect(product.lines.join('\n')).toContain(password);
      const answer = await fetch(`${product.apiUrl}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'admin', password }),
      });
      expect(answer.status).toBe(200);
    });

    it.each(['admin-password', 'database-url', 'reporting-url'])(
      'keeps %s for its owner alone',
      async (name) => {
        expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
      },
    );

    it('gives addresses that lead to the database, the reporting one to reports alone', async () => {
      expect(await majorVersionAt(await product.read('database-url'))).toBeGreaterThanOrEqual(15);
      await withClient(await product.read('reporting-url'), async (client) => {
        const { rows } = await client.query('SELECT current_user AS name');
        expect(rows).toEqual([{ name: 'muster_reporting' }]);
        await expect(client.query('SELECT FROM public.users')).rejects.toThrow('permission denied');
      });
    });

    it('refuses a second start on the same folder in one sentence', async () => {
      const second = await start(folder);
      expect(await second.ended).toBe(1);
      expect(second.errors).toEqual([
        expect.stringMatching(/^Muster already runs with the data folder .*\.$/),
      ]);
    });

    it('survives kill -9 of its database: the same API process answers again', async () => {
      const api = await product.processOf('API');
      const database = await product.database();

      process.kill(database.pid, 'SIGKILL');
      await product.says('The database is ready again.');
      while ((await product.readiness()) !== 200);

      expect(isRunning(api)).toBe(true);
      expect(await product.processOf('API')).toEqual(api);
      expect(await product.database()).not.toEqual(database);
    });
  });

  describe('on a data folder that was used before', () => {
    afterEach(stopAll);

    it('is ready within 10 s, and does not print the password again', async () => {
      const startedAt = performance.now();
      const product = await start(folder);
      await product.says('Stop');
      expect(performance.now() - startedAt).toBeLessThan(10_000);
      expect(product.lines.join('\n')).not.toContain((await product.read('admin-password')).trim());
    });

    it.each([
      ['SIGTERM', 'command'],
      ['SIGTERM', 'group'],
      ['SIGINT', 'group'],
    ] as const)('%s to the %s ends everything within 15 s', async (signal, to) => {
      const product = await start(folder);
      await product.says('Stop');
      const processes = await product.allProcesses();
      const startedAt = performance.now();

      product.signal(signal, to);

      expect(await product.ended).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(15_000);
      expect(processes.filter(isRunning)).toEqual([]);
    });
  });

  describe('says in one sentence', () => {
    let unused: string;

    beforeAll(async () => {
      unused = await mkdtemp(join(tmpdir(), 'muster-start-'));
    });

    afterAll(() => rm(unused, { recursive: true }));

    async function expectSentence(sentence: RegExp | string, settings: NodeJS.ProcessEnv, code = 1) {
      const product = await start(unused, settings);
      expect(await product.ended).toBe(code);
      expect(product.errors).toEqual([expect.stringMatching(sentence)]);
    }

    it.each(['PORT', 'CONSOLE_PORT'])('that the port in %s is taken', async (setting) => {
      const other = createServer().listen(0);
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      await expectSentence(`^Port ${port} is taken by another program; set ${setting} to another port\\.$`, {
        [setting]: String(port),
      });
      other.close();
    });

    it('that a setting of its own does not parse', () =>
      expectSentence(/^CONSOLE_PORT is "http", but a port is .*\.$/, { CONSOLE_PORT: 'http' }));

    it('that a setting of the API does not parse', () =>
      expectSentence(/MUSTER_GUESTS/, { MUSTER_GUESTS: 'perhaps' }, 78));

    it('that the data folder cannot be written', async () => {
      const file = join(unused, 'file');
      await writeFile(file, '');
      await expectSentence(/^The data folder .* cannot be written \(ENOTDIR\); set MUSTER_DATA_DIR .*\.$/, {
        MUSTER_DATA_DIR: join(file, 'below'),
      });
    });

    // Root may write wherever it likes.
    (process.getuid?.() === 0 ? it.skip : it)('that it may not write the data folder', async () => {
      const locked = await mkdtemp(join(unused, 'locked-'));
      await chmod(locked, 0o500);
      await expectSentence(/^The data folder .* cannot be written \(EACCES\)/, { MUSTER_DATA_DIR: locked });
      await chmod(locked, 0o700);
    });

    it('that the database does not answer, without its password', async () => {
      const port = await findFreePort();
      await expectSentence(
        `^The database at 127\\.0\\.0\\.1:${port}/muster \\(DATABASE_URL\\) does not answer: .*ECONNREFUSED.*\\.$`,
        { DATABASE_URL: `postgresql://muster:s3cret@127.0.0.1:${port}/muster` },
      );
    });
  });
});
