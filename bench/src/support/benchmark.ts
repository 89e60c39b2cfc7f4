import type { Ratio, Standing } from './standings.js';

export interface Scope {
  /** How long a contestant's turn in a round lasts. */
  readonly seconds: number;
  readonly rounds: number;
  /** A folder for the CPU profiles of all programs that take part; profiling slows them down. */
  readonly profileTo?: string;
  /** Given up when this aborts; whoever waits for something waits with it. */
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

/** One question of the kind "how fast are we, beside whom?", asked and answered in one run. */
export interface Benchmark {
  readonly name: string;
  readonly about: string;
  run(scope: Scope): Promise<Report>;
}

export interface Aim {
  readonly text: string;
  readonly met: boolean;
}

export interface Report {
  readonly benchmark: string;
  readonly conditions: Readonly<Record<string, string | number>>;
  readonly standings: readonly Standing[];
  readonly ratios: readonly Ratio[];
  readonly aims: readonly Aim[];
}

/** What was measured is not what was promised (a lost row, a refused request): there is no result to show. */
export class InvalidRun extends Error {}
