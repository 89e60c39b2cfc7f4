import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '@muster/data/database';
import { Metrics } from '../http/metrics.js';
import { LOG } from '../runtime.js';

const WINDOW_MS = 60_000;
/** Sources that are told apart at once; beyond them a flood is one line. */
const MOST_SOURCES = 1_000;
const MANY = 'address:many';

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
export class Denials implements OnApplicationShutdown {
  private readonly suppressed = new Map<string, { readonly denial: Denial; repeated: number }>();

  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  note(denial: Denial): void {
    this.metrics.denials.inc({ kind: denial.eventType });
    const own = `${denial.eventType} ${denial.actor}`;
    const isTold = this.suppressed.has(own) || this.suppressed.size < MOST_SOURCES;
    const key = isTold ? own : `${denial.eventType} ${MANY}`;
    const known = this.suppressed.get(key);
    if (known) {
      known.repeated++;
      return;
    }
    this.suppressed.set(key, { denial: isTold ? denial : { ...denial, actor: MANY }, repeated: 0 });
    setTimeout(() => void this.summarise(key), WINDOW_MS).unref();
    void this.write(denial, 1);
  }

  /** What was only counted so far must not be lost with the process. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.suppressed.keys()].map((key) => this.summarise(key)));
  }

  private async summarise(key: string): Promise<void> {
    const known = this.suppressed.get(key);
    this.suppressed.delete(key);
    if (!known || known.repeated === 0) return;
    const { denial, repeated } = known;
    const description = `${repeated} more within a minute of this: ${denial.description}`;
    await this.write({ ...denial, description }, repeated);
  }

  private async write({ eventType, actor, description, data }: Denial, count: number): Promise<void> {
    const event = {
      eventType,
      severity: 'warning',
      actor,
      description,
      eventData: { ...data, count },
    } as const;
    await this.database
      .record(event)
      .catch((error: unknown) => this.log.warn({ err: error }, 'a denial was not recorded'));
  }
}
