import { setTimeout as delay } from 'node:timers/promises';
import { RestartPolicy } from './restart-policy.js';
import type { RunningService, Service } from './service.js';
import { StartFailure } from './start-failure.js';

export interface KeeperEvents {
  died(name: string, how: string): void;
  recovered(name: string): void;
  /** It died so often that there is no point in starting it again. */
  gaveUp(failure: StartFailure): void;
}

/** Holds one service up: whenever it ends without having been asked to, it is started again. */
export class Keeper {
  private policy = new RestartPolicy();
  private running: RunningService | undefined;
  private startedAt = 0;
  private watch: Promise<void> = Promise.resolve();
  private endIsWanted = false;
  private givenUp = false;

  constructor(
    readonly service: Service,
    private readonly events: KeeperEvents,
    private readonly stopping: AbortSignal,
  ) {}

  /** The first start, which is not tried twice. */
  async start(): Promise<void> {
    await this.bringUp();
    this.watch = this.keepUp();
  }

  /** A new start on purpose, also of one that was given up. */
  async restart(): Promise<void> {
    this.policy = new RestartPolicy();
    if (this.running) {
      this.endIsWanted = true;
      await this.running.stop(this.service.stopWithinMs, this.stopping);
    } else if (this.givenUp) {
      this.givenUp = false;
      this.watch = this.keepUp();
    }
  }

  async stop(graceMs: number, hurry: AbortSignal): Promise<void> {
    await this.end(graceMs, hurry);
    await this.watch;
    // It may have come up in the very moment in which the watch ended.
    await this.end(graceMs, hurry);
  }

  private async end(graceMs: number, hurry: AbortSignal): Promise<void> {
    const { running } = this;
    this.running = undefined;
    await running?.stop(graceMs, hurry);
  }

  private async bringUp(): Promise<void> {
    this.startedAt = performance.now();
    this.running = await this.service.start(this.stopping);
  }

  private async keepUp(): Promise<void> {
    while (!this.stopping.aborted) {
      if (this.running) {
        await this.untilEnd(this.running);
        continue;
      }
      const decision = this.policy.afterDeath(performance.now() - this.startedAt);
      if (decision.action === 'give up') {
        this.givenUp = true;
        this.events.gaveUp(new StartFailure(`The ${this.service.name} ends again and again.`));
        return;
      }
      await this.bringBack(decision.delayMs);
    }
  }

  private async untilEnd(running: RunningService): Promise<void> {
    const how = await running.exited;
    this.running = undefined;
    if (!this.endIsWanted && !this.stopping.aborted) this.events.died(this.service.name, how);
    this.endIsWanted = false;
  }

  private async bringBack(delayMs: number): Promise<void> {
    try {
      await delay(delayMs, undefined, { signal: this.stopping });
      await this.bringUp();
      this.events.recovered(this.service.name);
    } catch (error) {
      if (!this.stopping.aborted) this.events.died(this.service.name, (error as Error).message);
    }
  }
}
