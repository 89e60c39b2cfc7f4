import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '@muster/data/database';
import { Metrics } from '../http/metrics.js';
import { LOG } from '../runtime.js';

const WINDOW_MS = 60_000;
/** Sources that are told apart at once; beyond them a flood is one line. */
const MOST_SOURCES = 1_000;

export interface Denial {
  readonly eventType: 'auth_failed' | 'access_denied';
  /** Who was turned away: an actor, or an address. */
  readonly actor: string;
  readonly description: string;
  readonly data?: Record<string, unknown>;
}

/**
 * Denials are events, but a stranger must not be able to fill the table with them: the first of a source is
 * written at once, what follows within a minute is one more row with a count.
 */
@Injectable()
export class Denials {
  private readonly suppressed = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  note(denial: Denial): void {
    this.metrics.denials.inc({ kind: denial.eventType });
    const source = this.suppressed.size < MOST_SOURCES ? denial.actor : 'address:many';
    const key = `${denial.eventType} ${source}`;
    const repeated = this.suppressed.get(key);
    if (repeated !== undefined) {
      this.suppressed.set(key, repeated + 1);
      return;
    }
    this.suppressed.set(key, 0);
    setTimeout(() => this.summarise(key, denial), WINDOW_MS).unref();
    this.write(denial, 1);
  }

  private summarise(key: string, denial: Denial): void {
    const repeated = this.suppressed.get(key) ?? 0;
    this.suppressed.delete(key);
    if (repeated > 0) this.write(denial, repeated);
  }

  private write({ eventType, actor, description, data }: Denial, count: number): void {
    const event = {
      eventType,
      severity: 'warning',
      actor,
      description,
      eventData: { ...data, count },
    } as const;
    this.database
      .record(event)
      .catch((error: unknown) => this.log.warn({ err: error }, 'a denial was not recorded'));
  }
}
