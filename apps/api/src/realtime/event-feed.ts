import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '@muster/data/database';
import { SignalBus } from '@muster/data/signal-bus';
import { selectEventsAfter, selectEventsBefore } from '@muster/data/sql/select-events';
import type { Logger } from 'pino';
import { LOG } from '../runtime.js';
import { UI_ROOM, type ClientSocket } from './client-socket.js';
import { Sockets } from './sockets.js';
import { EVENTS_COMMITTED } from './topics.js';

/** Few enough that sending them to many subscribers does not keep everything else waiting. */
const PAGE = 100;
/** Signals can get lost, and rows can be written by hand: what nobody announced is found after this. */
const SWEEP_MS = 5_000;
const RETRY_MS = 500;

/**
 * Tells this process's subscribers of every committed event, once and in order. The rows are read once for all
 * of them, from where the last reading ended; one reading at a time, again if there was a signal meanwhile.
 * While nobody subscribes nothing is read.
 */
@Injectable()
export class EventFeed implements OnApplicationBootstrap, OnModuleDestroy {
  /** Subscribers were told everything up to this sequence number; null while there are none. */
  private toldUpTo: number | null = null;
  private starting: Promise<void> | undefined;
  private isReading = false;
  private isWanted = false;
  private sweep: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly sockets: Sockets,
    bus: SignalBus,
    @Inject(LOG) private readonly log: Logger,
  ) {
    bus.subscribe(EVENTS_COMMITTED, () => this.wake());
    bus.onGap(() => this.wake());
  }

  onApplicationBootstrap(): void {
    this.sweep = setInterval(() => this.wake(), SWEEP_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.sweep);
  }

  /** The answer is the sequence number after which the socket hears everything. */
  async subscribe(socket: ClientSocket): Promise<number> {
    while (this.toldUpTo === null) await (this.starting ??= this.start());
    // No wait between these two: whatever is sent next, is sent to this socket too.
    const seq = this.toldUpTo;
    void socket.join(UI_ROOM);
    // Something may have been committed, and signalled, while nobody listened.
    this.wake();
    return seq;
  }

  private async start(): Promise<void> {
    try {
      const [newest] = await selectEventsBefore(this.database, { where: {}, limit: 1 }, null);
      this.toldUpTo = newest?.seq ?? 0;
    } finally {
      this.starting = undefined;
    }
  }

  private wake(): void {
    this.isWanted = true;
    if (!this.isReading) void this.read();
  }

  private async read(): Promise<void> {
    this.isReading = true;
    while (this.isWanted) {
      this.isWanted = false;
      try {
        await this.tellNew();
      } catch (error) {
        this.log.warn({ err: error }, 'events could not be read; trying again');
        setTimeout(() => this.wake(), RETRY_MS).unref();
      }
    }
    this.isReading = false;
  }

  private async tellNew(): Promise<void> {
    for (let isFull = true; isFull && this.toldUpTo !== null;) {
      if (this.sockets.count(UI_ROOM) === 0) {
        this.toldUpTo = null;
        return;
      }
      const events = await selectEventsAfter(this.database, { where: {}, limit: PAGE }, this.toldUpTo);
      for (const event of events) this.sockets.send(UI_ROOM, 'event:created', event);
      this.toldUpTo = events.at(-1)?.seq ?? this.toldUpTo;
      isFull = events.length === PAGE;
    }
  }
}
