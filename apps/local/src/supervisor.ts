import { Keeper, type KeeperEvents } from './keeper.js';
import type { Service } from './service.js';

/** Everything has ended within this time of the request to stop. */
const stopWithinMs = 14_000;
/** Of which each service that is still to be stopped has at least so much. */
const leastGraceMs = 1_000;

/** Starts services in order, keeps them running, and stops them in the opposite order. */
export class Supervisor {
  private readonly keepers: Keeper[] = [];
  private readonly stopping = new AbortController();
  private readonly hurrying = new AbortController();
  private started: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly services: readonly Service[],
    private readonly events: KeeperEvents & { ready(name: string, afterMs: number): void },
  ) {}

  start(): Promise<void> {
    return (this.started ??= this.startAll());
  }

  /** Starts those anew whose code has changed. */
  async restartBuilt(): Promise<void> {
    for (const keeper of this.keepers) {
      if (keeper.service.followsBuild) await keeper.restart();
    }
  }

  /** Also ends a start that is under way. A second call joins the first. */
  stop(): Promise<void> {
    this.stopping.abort();
    return (this.stopped ??= this.stopAll());
  }

  /** Cuts the time that services still have to end in good order. */
  hurry(): void {
    this.hurrying.abort();
  }

  private async startAll(): Promise<void> {
    for (const service of this.services) {
      this.stopping.signal.throwIfAborted();
      const startedAt = performance.now();
      const keeper = new Keeper(service, this.events, this.stopping.signal);
      await keeper.start();
      this.keepers.push(keeper);
      this.events.ready(service.name, performance.now() - startedAt);
    }
  }

  private async stopAll(): Promise<void> {
    const deadline = performance.now() + stopWithinMs;
    await this.started?.catch(() => undefined);
    for (let left = this.keepers.length; left > 0; left -= 1) {
      const keeper = this.keepers[left - 1]!;
      const graceMs = deadline - performance.now() - (left - 1) * leastGraceMs;
      await keeper.stop(Math.max(0, Math.min(graceMs, keeper.service.stopWithinMs)), this.hurrying.signal);
    }
  }
}
