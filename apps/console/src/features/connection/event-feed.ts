interface Sequenced {
  seq: number;
}

/** What came after `seq`, oldest first, at most `limit`. */
export type ReadAfter<Event> = (seq: number, limit: number) => Promise<Event[]>;

const PAGE = 500;

/**
 * Every event once and in order, although pushed messages get lost. The sequence number tells: the very next
 * one is taken as it comes, anything else means a gap, and a gap is read from the table.
 */
export class EventFeed<Event extends Sequenced> {
  readonly #readAfter: ReadAfter<Event>;
  readonly #deliver: (event: Event) => void;
  #lastSeq: number | null = null;
  #reading: Promise<void> | null = null;
  #readAgain = false;

  constructor(readAfter: ReadAfter<Event>, deliver: (event: Event) => void) {
    this.#readAfter = readAfter;
    this.#deliver = deliver;
  }

  /**
   * The server says that it pushes everything after `seq`. The first time this is where the feed begins; later
   * on, what lies between is what we missed. Resolves when that has been delivered.
   */
  async resume(seq: number): Promise<void> {
    this.#lastSeq ??= seq;
    if (seq > this.#lastSeq) await this.#catchUp();
  }

  /** A pushed event. Resolves when everything up to it has been delivered. */
  async take(event: Event): Promise<void> {
    if (this.#lastSeq === null || event.seq <= this.#lastSeq) return;
    if (this.#reading === null && event.seq === this.#lastSeq + 1) this.#accept(event);
    else await this.#catchUp();
  }

  /** One reading at a time; whoever asks meanwhile gets another round. */
  #catchUp(): Promise<void> {
    this.#readAgain = true;
    this.#reading ??= this.#readWhileAsked().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #readWhileAsked(): Promise<void> {
    while (this.#readAgain) {
      this.#readAgain = false;
      for (let full = true; full;) {
        const events = await this.#readAfter(this.#lastSeq ?? 0, PAGE);
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
