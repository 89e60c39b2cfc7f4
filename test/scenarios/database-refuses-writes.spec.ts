import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { chown, mkdir, open, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { signIn } from '../support/client.js';
import { Scenario, type OwnServer } from '../support/scenario.js';
import { accepted, streamWrites, tally, type Write, type WriteStream } from '../support/write-stream.js';

const scenario = new Scenario();
afterEach(() => scenario.end());

/** A file system of its own can only be made by root, and not in every container. */
const canMount = process.getuid?.() === 0 && triesToMount();

describe('when PostgreSQL takes no writes', () => {
  it('because it is read-only, the API reads on, accepts nothing, and does again when it may', async () => {
    const server = await scenario.server();
    const { api, stream, client } = await startStream(server);
    await server.query('ALTER SYSTEM SET default_transaction_read_only = on');
    await server.query('SELECT pg_reload_conf()');
    // What had begun before may still be accepted; then nothing is any more.
    await refusals(stream, 20);
    const accepts = accepted(stream.writes).length;
    await refusals(stream, 20);
    expect(accepted(stream.writes)).toHaveLength(accepts);
    expect((await client('GET', '/api/api-keys')).status).toBe(200);
    const login = await client('POST', '/api/auth/login', { username: 'admin', password: 'a wrong guess' });
    expect(login.status).toBe(503);

    await server.query('ALTER SYSTEM RESET default_transaction_read_only');
    await server.query('SELECT pg_reload_conf()');
    await stream.next(isAccepted);
    await stream.stop();
    await expectHonest(server, stream);
    expect(process.kill(api.pid, 0)).toBe(true);
  });

  it.each([
    ['disk full', '53100'],
    ['out of memory', '53200'],
    ['input or output error', '58030'],
  ])('because of what it calls %s, the caller is told to repeat, and nothing was done', async (_, code) => {
    const database = await scenario.database();
    const api = await scenario.api(database.url);
    const { client } = await signIn(api.url);
    await database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'made to fail' USING ERRCODE = '${code}';
      END $$;
      CREATE TRIGGER refuse AFTER INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION refuse();`);
    const request = () => client('POST', '/api/api-keys', { name: 'a-key', role: 'viewer' });
    const refused = await request();
    expect(refused).toMatchObject({ status: 503, body: { code: 'DATABASE_UNAVAILABLE' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await database.query('SELECT FROM api_keys')).toEqual([]);
    await database.query('DROP TRIGGER refuse ON api_keys');
    expect((await request()).status).toBe(201);
  });

  (canMount ? it : it.skip)(
    'because its disk is full, the API accepts nothing, and does again when there is room',
    async () => {
      const server = await scenario.server();
      const { disk, filler } = await smallDisk(server);
      const { api, stream, client } = await startStream(server);
      await server.query(`CREATE TABLESPACE small LOCATION '${disk}'`);
      await server.query('ALTER TABLE api_keys SET TABLESPACE small');
      await fill(filler);
      const refused = await stream.next(isRefused);
      expect(refused.answer!.body).toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
      expect((await client('GET', '/api/api-keys')).status).toBe(200);

      await rm(filler);
      await stream.next(isAccepted);
      await stream.stop();
      await expectHonest(server, stream);
      expect(process.kill(api.pid, 0)).toBe(true);
    },
  );
});

async function startStream(server: OwnServer) {
  const api = await scenario.api(server.url);
  const { client } = await signIn(api.url);
  const stream = streamWrites(client, 4);
  scenario.atEnd(() => stream.stop());
  await stream.next(isAccepted);
  return { api, stream, client };
}

async function refusals(stream: WriteStream, count: number): Promise<void> {
  for (let seen = 0; seen < count; seen++) await stream.next(isRefused);
}

const isAccepted = ({ answer }: Write) => answer?.status === 201;
const isRefused = ({ answer }: Write) => answer?.status === 503;

/** Everything that was accepted is there; and since nothing else went wrong, nothing that was refused is. */
async function expectHonest(server: OwnServer, stream: WriteStream): Promise<void> {
  expect(Object.keys(tally(stream.writes)).sort()).toEqual(['201', '503']);
  const rows = await server.query<{ name: string }>('SELECT name FROM api_keys');
  expect(rows.map(({ name }) => name).sort()).toEqual(accepted(stream.writes).sort());
}

/** A file system with little room, and the file that takes it up. */
async function smallDisk(server: OwnServer): Promise<{ disk: string; filler: string }> {
  const mounted = await scenario.folder();
  await mkdir(mounted, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=755', 'tmpfs', mounted]);
  scenario.atEnd(async () => {
    await server.stop();
    execFileSync('umount', [mounted]);
  });
  const disk = path.join(mounted, 'tablespace');
  await mkdir(disk);
  const [place] = await server.query<{ directory: string }>(
    `SELECT current_setting('data_directory') AS directory`,
  );
  const { uid, gid } = await stat(place!.directory);
  await chown(disk, uid, gid);
  return { disk, filler: path.join(mounted, 'filler') };
}

async function fill(file: string): Promise<void> {
  const filler = await open(file, 'w');
  try {
    for (;;) await filler.write(Buffer.alloc(4_096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await filler.close();
  }
}

function triesToMount(): boolean {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'muster-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}
