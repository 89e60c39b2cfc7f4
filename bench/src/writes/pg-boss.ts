import type { Wish } from './rows.js';

/** A schema of the benchmark's own, apart from the one that the product's queue lives in. */
export const BOSS_SCHEMA = 'bench_boss';
export const BOSS_QUEUE = 'bench';

export interface Sending {
  readonly wish: Wish;
  readonly callers: number;
  readonly seconds: number;
}

export interface Sent {
  readonly ids: string[];
  readonly cpuMicros: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}
