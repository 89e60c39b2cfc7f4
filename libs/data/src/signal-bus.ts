import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { CoalescingWriter } from './coalescing-writer.js';
import type { Database } from './database.js';
import type { Handle } from './statement.js';
import type { Log } from './log.js';

export interface SignalBusOptions {
  readonly database: Database;
  readonly log: Log;
  /** A connection that went silent is found out after at most these two together. */
  readonly heartbeatEveryMs?: number;
  readonly heartbeatTimeoutMs?: number;
  /** For metrics: how many signals one statement carried, and how many were left waiting. */
  readonly onBatch?: (size: number, queued: number) => void;
}

/** A signal says that something changed and where to look; what changed does not fit into it. */
export class SignalTooLarge extends Error {
  constructor(topic: string, bytes: number) {
    super(`A signal on ${topic} has ${bytes} bytes; at most ${LARGEST_MESSAGE} can be sent`);
  }
}

type Handler<Payload> = (payload: Payload) => void | Promise<void>;

const CHANNEL = 'muster';
/** PostgreSQL takes less than 8000 bytes; our own brackets take two of them. */
const LARGEST_NOTIFICATION = 7_999;
const LARGEST_MESSAGE = LARGEST_NOTIFICATION - 2;
const STOP_PATIENCE_MS = 1_000;
const FIRST_BACK_OFF_MS = 50;
const LONGEST_BACK_OFF_MS = 1_000;

/**
 * Signals between all processes on one database, over one LISTEN connection per process.
 *
 * The contract: a signal may be lost, doubled or late, and it proves nothing. Whoever gets one looks into the
 * tables; whoever must not miss anything also looks when `onGap` says that signals may have been missed, and
 * has a sweep. A process hears its own signals through the database like everybody else: there is one path.
 *
 * A NOTIFY takes a global lock at its commit, so one per message would cap the whole system. All signals of a
 * moment travel as one statement, packed into as few notifications as their size allows.
 */
export class SignalBus {
  private readonly database: Database;
  private readonly log: Log;
  private readonly heartbeatEveryMs: number;
  private readonly heartbeatTimeoutMs: number;
  private readonly publisher: CoalescingWriter<string, void>;
  private readonly subscribers = new Map<string, Set<Handler<unknown>>>();
  private readonly gapHandlers = new Set<Handler<void>>();
  private readonly stateHandlers = new Set<Handler<boolean>>();
  private readonly stopping = new AbortController();
  private listening: Promise<void> | undefined;
  private isConnected = false;

  constructor(options: SignalBusOptions) {
    this.database = options.database;
    this.log = options.log;
    this.heartbeatEveryMs = options.heartbeatEveryMs ?? 3_000;
    this.heartbeatTimeoutMs = options.heartbeatTimeoutMs ?? 2_000;
    this.publisher = new CoalescingWriter({
      name: 'signals',
      write: (messages) => this.notify(messages),
      onBatch: options.onBatch,
    });
  }

  /** Begins to listen, and goes on trying for as long as the database is away. */
  start(): void {
    this.listening ??= this.listen();
  }

  /** Sends what was published, unless the database does not take it, and stops listening. */
  async stop(): Promise<void> {
    await Promise.race([this.publisher.close(), delay(STOP_PATIENCE_MS, undefined, { ref: false })]);
    this.stopping.abort();
    await this.listening;
  }

  /**
   * Whether signals arrive. What a process keeps in memory on the strength of signals may only be trusted
   * meanwhile, and may then be as old as a silent connection takes to be found out.
   */
  get connected(): boolean {
    return this.isConnected;
  }

  /** Calls `handler` for each signal on the topic; the answer ends it. */
  subscribe<Payload = unknown>(topic: string, handler: Handler<Payload>): () => void {
    const handlers = this.subscribers.get(topic) ?? new Set();
    this.subscribers.set(topic, handlers.add(handler as Handler<unknown>));
    return () => {
      handlers.delete(handler as Handler<unknown>);
      if (handlers.size === 0 && this.subscribers.get(topic) === handlers) this.subscribers.delete(topic);
    };
  }

  /** Calls `handler` after each connection, the first one too: signals may have been missed before it. */
  onGap(handler: Handler<void>): () => void {
    this.gapHandlers.add(handler);
    return () => this.gapHandlers.delete(handler);
  }

  onStateChange(handler: Handler<boolean>): () => void {
    this.stateHandlers.add(handler);
    return () => this.stateHandlers.delete(handler);
  }

  /**
   * Tells every process, this one included. It is sent when the promise resolves; whoever does not care may
   * drop the promise, since a signal that is not sent is merely lost.
   */
  publish(topic: string, payload: unknown = null): Promise<void> {
    const message = JSON.stringify([topic, payload]);
    const bytes = Buffer.byteLength(message);
    if (bytes > LARGEST_MESSAGE) throw new SignalTooLarge(topic, bytes);
    const published = this.publisher.write(message);
    published.catch(() => {});
    return published;
  }

  /**
   * Tells every process if, and as soon as, the transaction commits. PostgreSQL commits such transactions one
   * after the other, so this is for what is rare and must not be lost with the process.
   */
  async publishWithin(tx: Handle, topic: string, payload: unknown = null): Promise<void> {
    const text = `SELECT pg_notify('${CHANNEL}', $1)::text`;
    await tx.query({ text, values: packNotifications([JSON.stringify([topic, payload])]) });
  }

  private async notify(messages: string[]): Promise<void[]> {
    await this.database.query({
      name: 'publish_signals',
      text: `SELECT pg_notify('${CHANNEL}', notification) FROM unnest($1::text[]) AS notification`,
      values: [packNotifications(messages)],
    });
    return messages.map(() => undefined);
  }

  private async listen(): Promise<void> {
    for (let failures = 0; !this.stopping.signal.aborted; failures++) {
      try {
        await this.holdConnection();
      } catch (error) {
        if (this.isConnected) failures = 0;
        this.setConnected(false);
        if (this.stopping.signal.aborted) return;
        if (failures === 0) this.log.warn({ err: error }, 'Signals do not arrive; connecting again');
        await this.backOff(failures);
      }
    }
  }

  /** Ends only by throwing: the connection was lost, or the bus stops. */
  private async holdConnection(): Promise<never> {
    const lost = new AbortController();
    const client = new pg.Client({
      ...this.database.connection,
      application_name: `${this.database.connection.application_name ?? 'muster'} signals`,
      query_timeout: this.heartbeatTimeoutMs,
    });
    client.on('error', (error) => lost.abort(error));
    client.on('end', () => lost.abort(new Error('The server ended the connection')));
    client.on('notification', ({ payload }) => this.deliver(payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.setConnected(true);
      const signal = AbortSignal.any([lost.signal, this.stopping.signal]);
      for (;;) {
        await delay(this.heartbeatEveryMs, undefined, { signal }).catch(() => {
          throw signal.reason;
        });
        // Nobody tells us when a firewall has forgotten a connection; only the missing answer does.
        await client.query('SELECT 1');
      }
    } finally {
      // Not ended politely: the other side of a silent connection would never answer.
      client.connection.stream.destroy();
    }
  }

  private async backOff(failures: number): Promise<void> {
    const longest = Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** failures);
    const jittered = longest * (0.5 + Math.random() / 2);
    await delay(jittered, undefined, { signal: this.stopping.signal }).catch(() => {});
  }

  private setConnected(connected: boolean): void {
    if (this.isConnected === connected) return;
    this.isConnected = connected;
    // In one go, so that nobody sees the bus connected and a cache that has not heard of the gap.
    if (connected) this.call(this.gapHandlers, undefined, 'a gap');
    this.call(this.stateHandlers, connected, 'the state of the connection');
  }

  private deliver(notification: string): void {
    for (const [topic, payload] of unpackNotification(notification)) {
      const handlers = this.subscribers.get(topic);
      if (handlers) this.call(handlers, payload, topic);
    }
  }

  /** One handler's failure is its own: the others are called, and the process lives on. */
  private call<Payload>(handlers: ReadonlySet<Handler<Payload>>, payload: Payload, what: string): void {
    const failed = (error: unknown) => this.log.error({ err: error }, `A handler of ${what} failed`);
    // Whom a handler adds or removes concerns the next signal, not this one.
    for (const handler of Array.from(handlers)) {
      try {
        const finished = handler(payload);
        if (finished instanceof Promise) finished.catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  }
}

/** Joins messages into JSON arrays that are each small enough for one notification; repeats are dropped. */
function packNotifications(messages: string[]): string[] {
  const notifications: string[] = [];
  let open: string[] = [];
  let bytes = 0;
  for (const message of new Set(messages)) {
    const more = Buffer.byteLength(message) + 1;
    if (bytes + more > LARGEST_MESSAGE + 1) {
      notifications.push(`[${open.join(',')}]`);
      open = [];
      bytes = 0;
    }
    open.push(message);
    bytes += more;
  }
  notifications.push(`[${open.join(',')}]`);
  return notifications;
}

/** What anybody else may have sent on our channel is nothing. */
function unpackNotification(notification: string): [topic: string, payload: unknown][] {
  try {
    const messages: unknown = JSON.parse(notification);
    return Array.isArray(messages) ? messages.filter(isMessage) : [];
  } catch {
    return [];
  }
}

function isMessage(message: unknown): message is [topic: string, payload: unknown] {
  return Array.isArray(message) && typeof message[0] === 'string';
}
