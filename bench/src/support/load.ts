import type { Scope } from './benchmark.js';
import { Program } from './program.js';

export interface Shot {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
}

export interface Hit {
  /** The `id` of each answer that was a 2xx, as long as there was no other answer. */
  readonly ids: string[];
  /** Answers that were no 2xx, broken connections and time-outs. */
  readonly failures: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The program that fires requests: one for all contestants, so that it is as warm for each of them. */
export class Load {
  private constructor(private readonly program: Program) {}

  static async start(scope: Scope): Promise<Load> {
    const file = new URL('./load.program.js', import.meta.url);
    const { program } = await Program.start(file, {}, { signal: scope.signal });
    return new Load(program);
  }

  fire(shot: Shot): Promise<Hit> {
    return this.program.ask('fire', shot, shot.seconds * 1_000 + 30_000);
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}
