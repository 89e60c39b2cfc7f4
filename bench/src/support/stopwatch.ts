import { createHistogram } from 'node:perf_hooks';

/** Counts operations and how long each took, from its making on. */
export class Stopwatch {
  private readonly startedAt = performance.now();
  private readonly micros = createHistogram();

  record(ms: number): void {
    this.micros.record(Math.max(1, Math.round(ms * 1_000)));
  }

  read(): { perSecond: number; p50Ms: number; p99Ms: number } {
    return {
      perSecond: (this.micros.count * 1_000) / (performance.now() - this.startedAt),
      p50Ms: this.micros.percentile(50) / 1_000,
      p99Ms: this.micros.percentile(99) / 1_000,
    };
  }
}
