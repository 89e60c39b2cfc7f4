import { AsyncResource } from 'node:async_hooks';
import { isConflict, Overloaded, sqlStateOf } from './errors.js';

export interface CoalescingWriterOptions<Item, Result> {
  /** What the items are, for messages and metrics. */
  readonly name: string;
  /**
   * Writes all items in one statement, so that all of them take effect or none, and answers one result per
   * item in the same order.
   */
  readonly write: (items: Item[]) => Promise<readonly Result[]>;
  readonly maxBatch?: number;
  /** Items that may wait at once; one more is refused with Overloaded. */
  readonly maxQueued?: number;
  /**
   * The bytes an item takes, roughly. Asked once per item as it arrives, so it must be cheap. Needed wherever
   * items can be large: without it only their number is bounded.
   */
  readonly sizeOf?: (item: Item) => number;
  /** Bytes of one statement. A larger item travels alone. */
  readonly maxBatchBytes?: number;
  /** Bytes that may wait at once; an item that does not fit is refused with Overloaded. */
  readonly maxQueuedBytes?: number;
  /** Statements under way at once. One keeps the order of arrival and makes the largest batches. */
  readonly concurrency?: number;
  /** Faults of an item beside those that a SQLSTATE tells. They must mean that nothing was written. */
  readonly isItemFault?: (error: unknown) => boolean;
  /** For metrics; called as each statement leaves, with its size and the number of items left waiting. */
  readonly onBatch?: (size: number, queued: number) => void;
}

/** The writer is shutting down. */
export class WriterClosed extends Error {
  constructor(name: string) {
    super(`The writer of ${name} is closed`);
  }
}

interface Entry<Item, Result> {
  readonly item: Item;
  readonly bytes: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

const CONFLICT_RETRIES = 3;
const MEBIBYTE = 1024 * 1024;

/**
 * Turns concurrent writes into one statement and one commit.
 *
 * Nothing waits for a timer. An item that finds the writer idle leaves at the end of the same turn of the
 * event loop, together with whatever else arrived in it: by `setImmediate`, which runs when all sockets that
 * had data are read, where a microtask would run after the first of them. While a statement is under way,
 * newcomers collect for the next, so batches grow with the load by themselves.
 *
 * Each caller gets its own outcome:
 * - The statement succeeded: the result at its item's place.
 * - It failed for what one item says (bad data, a broken constraint, one of our own refusals): the batch is
 *   halved until that item stands alone. Only its caller learns of it; the others are written.
 * - It lost a conflict with another transaction: it is repeated a few times.
 * - Anything else, above all a lost connection, says nothing about an item: every caller gets the error.
 *   Whether the batch was written is then unknown, so it is not repeated here.
 */
export class CoalescingWriter<Item, Result> {
  readonly name: string;
  private readonly statement: (items: Item[]) => Promise<readonly Result[]>;
  private readonly maxBatch: number;
  private readonly maxQueued: number;
  private readonly sizeOf: (item: Item) => number;
  private readonly maxBatchBytes: number;
  private readonly maxQueuedBytes: number;
  private readonly concurrency: number;
  private readonly isItemFault: (error: unknown) => boolean;
  private readonly onBatch: (size: number, queued: number) => void;

  // A batch belongs to all of its callers, so it runs in the async context of none: not in one request's log
  // context, nor inside the transaction that happens to be open around the first of them.
  private readonly context = new AsyncResource('CoalescingWriter');
  private queue: Entry<Item, Result>[] = [];
  private bytesWaiting = 0;
  private largestOfLastBatch = 0;
  private underWay = 0;
  private scheduled = false;
  private closed = false;
  private waitingForRoom: (() => void)[] = [];
  private waitingForIdle: (() => void)[] = [];

  constructor(options: CoalescingWriterOptions<Item, Result>) {
    this.name = options.name;
    this.statement = options.write;
    this.maxBatch = options.maxBatch ?? 500;
    this.maxQueued = options.maxQueued ?? 10_000;
    this.sizeOf = options.sizeOf ?? (() => 0);
    this.maxBatchBytes = options.maxBatchBytes ?? 2 * MEBIBYTE;
    this.maxQueuedBytes = options.maxQueuedBytes ?? 64 * MEBIBYTE;
    this.concurrency = options.concurrency ?? 1;
    this.isItemFault = (error) => saysItemFault(error) || (options.isItemFault?.(error) ?? false);
    this.onBatch = options.onBatch ?? (() => {});
  }

  /** Items that wait for their statement to leave; those under way are not among them. */
  get queued(): number {
    return this.queue.length;
  }

  /** The bytes of those items; zero where no sizeOf was given. */
  get queuedBytes(): number {
    return this.bytesWaiting;
  }

  write(item: Item): Promise<Result> {
    if (this.closed) return Promise.reject(new WriterClosed(this.name));
    if (this.queue.length >= this.maxQueued) return Promise.reject(new Overloaded(this.name));
    return new Promise((resolve, reject) => {
      const bytes = this.sizeOf(item);
      if (this.bytesWaiting + bytes > this.maxQueuedBytes) throw new Overloaded(this.name);
      this.queue.push({ item, bytes, resolve, reject });
      this.bytesWaiting += bytes;
      this.schedule();
    });
  }

  /**
   * Resolves when a producer that can wait, such as the reader of a stream, should go on. It is held back
   * from half of either bound on: the other half is left to callers who would be refused instead.
   */
  room(): Promise<void> {
    if (this.waitingForRoom.length === 0 && this.places() > 0) return Promise.resolve();
    return new Promise((resolve) => this.waitingForRoom.push(resolve));
  }

  /** Resolves when everything that was accepted is settled. */
  drain(): Promise<void> {
    if (this.queue.length === 0 && this.underWay === 0) return Promise.resolve();
    return new Promise((resolve) => this.waitingForIdle.push(resolve));
  }

  /** Accepts nothing more and resolves when everything accepted is settled. */
  close(): Promise<void> {
    this.closed = true;
    return this.drain();
  }

  private schedule(): void {
    if (this.scheduled || this.underWay >= this.concurrency) return;
    this.scheduled = true;
    setImmediate(() => this.context.runInAsyncScope(() => this.dispatch()));
  }

  private dispatch(): void {
    this.scheduled = false;
    while (this.underWay < this.concurrency && this.queue.length > 0) void this.run(this.takeBatch());
    this.letProducersIn();
    this.goOn();
  }

  /** Producers count too: one that was let in and then wrote nothing must not leave the others waiting. */
  private goOn(): void {
    if (this.queue.length > 0 || this.waitingForRoom.length > 0) this.schedule();
  }

  /** Takes items in the order of arrival up to either bound, and at least one. */
  private takeBatch(): Entry<Item, Result>[] {
    let size = 0;
    let total = 0;
    let largest = 0;
    for (const { bytes } of this.queue) {
      if (size === this.maxBatch || (size > 0 && total + bytes > this.maxBatchBytes)) break;
      size++;
      total += bytes;
      largest = Math.max(largest, bytes);
    }
    this.bytesWaiting -= total;
    this.largestOfLastBatch = largest;
    if (this.queue.length > size) return this.queue.splice(0, size);
    const all = this.queue;
    this.queue = [];
    return all;
  }

  private async run(batch: Entry<Item, Result>[]): Promise<void> {
    this.underWay++;
    await this.settle(batch);
    this.underWay--;
    if (this.queue.length === 0 && this.underWay === 0)
      for (const idle of this.waitingForIdle.splice(0)) idle();
    // Not at once but at the end of the turn, for the same reason as above.
    this.goOn();
  }

  /** Gives every entry of the batch its outcome; never throws. */
  private async settle(batch: Entry<Item, Result>[]): Promise<void> {
    try {
      const results = await this.attempt(batch.map((entry) => entry.item));
      for (const [place, entry] of batch.entries()) entry.resolve(results[place]!);
    } catch (error) {
      if (batch.length > 1 && this.isItemFault(error)) {
        // One after the other, which keeps the order of arrival.
        const middle = batch.length >> 1;
        await this.settle(batch.slice(0, middle));
        await this.settle(batch.slice(middle));
      } else {
        for (const entry of batch) entry.reject(error);
      }
    }
  }

  private async attempt(items: Item[]): Promise<readonly Result[]> {
    for (let retries = 0; ; retries++) {
      try {
        this.onBatch(items.length, this.queue.length);
        const results = await this.statement(items);
        if (results.length === items.length) return results;
        throw new Error(
          `${this.name}: ${items.length} items were written and ${results.length} results came back`,
        );
      } catch (error) {
        if (retries === CONFLICT_RETRIES || !isConflict(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** retries));
      }
    }
  }

  private letProducersIn(): void {
    for (const enter of this.waitingForRoom.splice(0, this.places())) enter();
  }

  /**
   * How many producers half of the bounds has room for. What they are about to write is not known yet, so
   * each is taken to bring as much as the largest item of the last batch; one always fits below the half.
   */
  private places(): number {
    const items = Math.ceil(this.maxQueued / 2) - this.queue.length;
    const bytes = this.maxQueuedBytes / 2 - this.bytesWaiting;
    if (items <= 0 || bytes <= 0) return 0;
    return Math.min(items, Math.max(1, Math.floor(bytes / this.largestOfLastBatch)));
  }
}

/**
 * Data exceptions (22), broken constraints (23), exceeded limits of a value or row (54), and the refusals that
 * our own functions raise (MU…): PostgreSQL undid the whole statement, and what it read is to blame.
 */
function saysItemFault(error: unknown): boolean {
  return /^(22|23|54|MU)/.test(sqlStateOf(error) ?? '');
}
