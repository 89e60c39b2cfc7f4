import type { Prisma } from './generated/prisma/client.js';
import { insertEvents, type NewEvent } from './sql/insert-events.js';
import type { Handle, Statement } from './statement.js';

/**
 * An open transaction: the only handle in scope while it is open. Repositories and statements take it as an
 * argument, so what they do is committed together or not at all.
 */
export class Transaction implements Handle {
  private readonly events: NewEvent[] = [];
  readonly effects: Array<() => void> = [];

  constructor(readonly prisma: Prisma.TransactionClient) {}

  query<Row>(statement: Statement): Promise<Row[]> {
    return this.prisma.$queryRawUnsafe<Row[]>(statement.text, ...(statement.values ?? []));
  }

  /** Writes the event with this transaction: last of all, as the order of events is the order of commits. */
  record(event: NewEvent): void {
    this.events.push(event);
  }

  /** Side effects leave after the commit, and only then. */
  afterCommit(effect: () => void): void {
    this.effects.push(effect);
  }

  async flush(): Promise<void> {
    if (this.events.length > 0) await insertEvents(this, this.events);
  }

  get recordedEvents(): boolean {
    return this.events.length > 0;
  }
}
