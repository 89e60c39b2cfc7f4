interface Sequenced {
  seq: number;
}

export interface EventSource<Event extends Sequenced> {
  /** The sequence number of the newest event, 0 if there is none. */
  newestSeq(): Promise<number>;
  /** What came after `seq`, oldest first, at most `limit`. */
  readAfter(seq: number, limit: number): Promise<Event[]>;
}

const PAGE = 500;

/**
 * Every event once and in order, although pushed messages get lost. The sequence number tells: the very next
 * one is taken as it comes, anything else means a gap, and a gap is read from the table.
 */
export class EventFeed<Event extends Sequenced> {
  readonly #source: EventSource<Event>;
  readonly #deliver: (event: Event) => void;
  #lastSeq: number | null = null;
  #reading: Promise<void> | null = null;
  #readAgain = false;

  constructor(source: EventSource<Event>, deliver: (event: Event) => void) {
    this.#source = source;
    this.#deliver = deliver;
  }

  /** A pushed event. Resolves when everything up to it has been delivered. */
  async take(event: Event): Promise<void> {
    if (this.#lastSeq !== null && this.#reading === null && event.seq === this.#lastSeq + 1) {
      this.#accept(event);
    } else if (this.#lastSeq === null || event.seq > this.#lastSeq) {
      await this.catchUp();
    }
  }

  /** Reads what is missing. The first call only finds out where the feed begins. */
  catchUp(): Promise<void> {
    this.#readAgain = true;
    this.#reading ??= this.#readWhileAsked().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #readWhileAsked(): Promise<void> {
    while (this.#readAgain) {
      this.#readAgain = false;
      this.#lastSeq ??= await this.#source.newestSeq();
      for (let full = true; full;) {
        const events = await this.#source.readAfter(this.#lastSeq, PAGE);
        events.forEach((event) => this.#accept(event));
        full = events.length === PAGE;
      }
    }
  }

  #accept(event: Event): void {
    this.#lastSeq = event.seq;
    this.#deliver(event);
  }
}
