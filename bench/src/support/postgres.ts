import { mkdtemp, open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startEmbeddedServer } from '@muster/data/embedded/embedded-server';
import { migrate } from '@muster/data/migrations/migrate';
import pg from 'pg';

export interface Postgres {
  readonly url: string;
  /** As the owner: for what is done between the rounds, never within one. */
  readonly owner: pg.Client;
  /** How long the disk takes to say that something is safe: what every commit waits for, alone or in company. */
  readonly flushMs: number;
}

/**
 * Every commit waits for the disk, as in production. Checkpoints are made between the rounds, so that none
 * falls into the turn of one contestant alone.
 */
const settings = { max_wal_size: '8GB', checkpoint_timeout: '1h' };

/** A migrated PostgreSQL of the benchmark's own, for as long as `work` takes; nothing of it stays behind. */
export async function withPostgres<T>(
  signal: AbortSignal,
  work: (postgres: Postgres) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'muster-bench-'));
  try {
    const server = await startEmbeddedServer({ directory, settings, signal });
    try {
      await migrate(server.url);
      return await withOwner(server.url, await measureFlush(directory), work);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function withOwner<T>(
  url: string,
  flushMs: number,
  work: (postgres: Postgres) => Promise<T>,
): Promise<T> {
  const owner = new pg.Client({ connectionString: url, application_name: 'muster-bench' });
  owner.on('error', () => {});
  await owner.connect();
  try {
    return await work({ url, owner, flushMs });
  } finally {
    await owner.end().catch(() => {});
  }
}

const FLUSHES = 201;
const PAGE = Buffer.alloc(8_192);

/** The median of many, on the disk that the database is on. */
async function measureFlush(directory: string): Promise<number> {
  const file = await open(path.join(directory, 'flush'), 'w');
  try {
    const times: number[] = [];
    for (let turn = 0; turn < FLUSHES; turn++) {
      await file.write(PAGE, 0, PAGE.length, 0);
      const startedAt = performance.now();
      await file.datasync();
      times.push(performance.now() - startedAt);
    }
    return times.sort((left, right) => left - right)[FLUSHES >> 1]!;
  } finally {
    await file.close();
  }
}
