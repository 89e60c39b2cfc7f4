import os from 'node:os';
import { issueApiKey } from '../support/api-key.js';
import { InvalidRun, type Benchmark, type Report, type Scope } from '../support/benchmark.js';
import { Load } from '../support/load.js';
import { withPostgres, type Postgres } from '../support/postgres.js';
import { Program } from '../support/program.js';
import { compete, type Contestant } from '../support/rounds.js';
import { ratioOf, type Standing, type Turn } from '../support/standings.js';
import { BOSS_SCHEMA, type Sending, type Sent } from './pg-boss.js';
import { createTable, type Figures, type Wish } from './rows.js';

const CONNECTIONS = 64;
const CALLERS = 16;
const PATIENCE_MS = 30_000;

const wish: Wish = {
  name: 'resize',
  priority: 5,
  data: { source: 'inbox/2041.png', width: 640, height: 480, tags: ['thumbnail', 'nightly'] },
};

/** Durable one-row writes through HTTP: what the frame costs, and what coalescing brings. */
export const writes: Benchmark = {
  name: 'writes',
  about: 'durable one-row writes: coalesced, one statement each, bare Fastify, pg-boss send',
  run: (scope) =>
    withPostgres(scope.signal, async (postgres) => {
      const programs: { stop(): Promise<void> }[] = [];
      try {
        const standings = await compete(await enter(postgres, scope, programs), scope);
        return await report(standings, postgres, scope);
      } finally {
        await Promise.all(programs.map((program) => program.stop()));
      }
    }),
};

async function enter(
  postgres: Postgres,
  scope: Scope,
  programs: { stop(): Promise<void> }[],
): Promise<Contestant[]> {
  await createTable(postgres);
  const key = await issueApiKey(postgres.url);
  const authorization = { authorization: `Bearer ${key}` };
  const start = async <Ready>(file: string, environment: Record<string, string> = {}) => {
    const url = new URL(file, import.meta.url);
    const started = await Program.start<Ready>(url, { DATABASE_URL: postgres.url, ...environment }, scope);
    programs.push(started.program);
    return started;
  };
  const load = await Load.start(scope);
  programs.push(load);
  const server = async (file: string, route: string, headers: Record<string, string>) => {
    const { program, ready } = await start<string>(file);
    return (seconds: number) => serve(program, load, `${ready}${route}`, headers, postgres, seconds);
  };
  const boss = (await start<null>('./pg-boss.program.js', { CALLERS: String(CALLERS) })).program;
  return [
    {
      key: 'A',
      label: 'Muster, coalesced',
      take: await server('./frame.program.js', '/bench/rows/coalesced', authorization),
    },
    {
      key: 'B',
      label: 'Muster, one statement each',
      take: await server('./frame.program.js', '/bench/rows/alone', authorization),
    },
    {
      key: 'C',
      label: 'bare Fastify, coalesced',
      take: await server('./bare-fastify.program.js', '/', {}),
    },
    { key: 'D', label: 'pg-boss send, no HTTP', take: (seconds) => send(boss, postgres, seconds) },
  ];
}

async function serve(
  program: Program,
  load: Load,
  url: string,
  extraHeaders: Record<string, string>,
  postgres: Postgres,
  seconds: number,
): Promise<Turn> {
  await startAfresh(postgres, 'bench_rows');
  const ask = () => program.ask<Figures & { cpuMicros: number }>('figures', null, PATIENCE_MS);
  const before = await ask();
  const { ids, failures, ...pace } = await load.fire({
    url,
    headers: { 'content-type': 'application/json', ...extraHeaders },
    body: JSON.stringify(wish),
    connections: CONNECTIONS,
    seconds,
  });
  const after = await ask();
  if (failures > 0) throw new InvalidRun(`${failures} requests to ${url} were not answered with a 2xx`);
  await requireRows(postgres, 'bench_rows', ids);
  const rows = after.rows - before.rows;
  return {
    ...pace,
    cpuMicros: (after.cpuMicros - before.cpuMicros) / rows,
    batch: rows / (after.statements - before.statements),
  };
}

async function send(program: Program, postgres: Postgres, seconds: number): Promise<Turn> {
  await startAfresh(postgres, `${BOSS_SCHEMA}.job`);
  const sending: Sending = { wish, callers: CALLERS, seconds };
  const { ids, cpuMicros, ...pace } = await program.ask<Sent>('send', sending, seconds * 1_000 + PATIENCE_MS);
  await requireRows(postgres, `${BOSS_SCHEMA}.job`, ids);
  return { ...pace, cpuMicros: cpuMicros / ids.length, batch: 1 };
}

/** Every turn begins with an empty table and a finished checkpoint, whoever was there before. */
async function startAfresh({ owner }: Postgres, table: string): Promise<void> {
  await owner.query(`TRUNCATE ${table}`);
  await owner.query('CHECKPOINT');
}

/** What was acknowledged is in the table, each under its own id; fast but forgetful would not count. */
async function requireRows({ owner }: Postgres, table: string, ids: string[]): Promise<void> {
  if (ids.length === 0) throw new InvalidRun(`Nothing was written to ${table}`);
  const { rows } = await owner.query<{ found: number }>(
    `SELECT count(*)::int AS found FROM ${table} WHERE id = ANY($1::uuid[])`,
    [ids],
  );
  const found = rows[0]!.found;
  if (found !== ids.length) {
    throw new InvalidRun(`${ids.length} writes to ${table} were acknowledged, and ${found} rows are there`);
  }
}

async function report(standings: Standing[], postgres: Postgres, scope: Scope): Promise<Report> {
  const [coalesced, alone, bare, boss] = standings as [Standing, Standing, Standing, Standing];
  const { rows } = await postgres.owner.query<{ server_version: string }>('SHOW server_version');
  const ratios = [alone, bare, boss].map((other) => ratioOf(coalesced, other));
  const [toAlone, toBare] = ratios as [(typeof ratios)[0], (typeof ratios)[0]];
  return {
    benchmark: writes.name,
    conditions: {
      rounds: scope.rounds,
      seconds: scope.seconds,
      connections: CONNECTIONS,
      'pg-boss callers': CALLERS,
      cores: os.availableParallelism(),
      node: process.version,
      postgresql: rows[0]!.server_version,
      'ms per flush': Number(postgres.flushMs.toFixed(2)),
    },
    standings,
    ratios,
    aims: [
      { text: 'A is at least 5 times B', met: toAlone.median >= 5 },
      { text: 'A is at least 60 % of C', met: toBare.median >= 0.6 },
    ],
  };
}
