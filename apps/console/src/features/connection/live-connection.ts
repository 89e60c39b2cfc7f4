import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';
import { api, bodyOf } from '../../api/client';
import { ApiError } from '../../api/problem';
import type { SystemEvent } from '../../api/records';
import { EventFeed } from './event-feed';

export type ConnectionState = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'signed-out';

/** Messages that say which kind of record has changed. */
const CHANGES = {
  'manager:updated': 'managers',
  'schedule:state_changed': 'calculations',
  'task:state_changed': 'tasks',
} as const;
export type ChangedList = (typeof CHANGES)[keyof typeof CHANGES];

/** `seq`: everything that comes after it will be pushed. */
type SubscribeAnswer = { ok: true; seq: number } | { ok: false; code: string };

interface Listener {
  onState(state: ConnectionState): void;
  onEvent(event: SystemEvent): void;
  onChanged(list: ChangedList): void;
}

/** Short interruptions are not worth a red light. */
const OFFLINE_AFTER_MS = 15_000;
const RETRY_MS = 2_000;

/**
 * The one connection over which the server tells what happens. It is live once it has subscribed *and* read what
 * it missed; whoever signed in is known by the cookie.
 */
export class LiveConnection {
  readonly #listener: Listener;
  readonly #socket: Socket;
  readonly #feed: EventFeed<SystemEvent>;
  readonly #timers = new Map<'retry' | 'offline', ReturnType<typeof setTimeout>>();
  #state: ConnectionState = 'connecting';

  constructor(listener: Listener) {
    this.#listener = listener;
    this.#feed = new EventFeed(readEventsAfter, (event) => listener.onEvent(event));
    // WebSocket first: polling would need a balancer that keeps a browser on one API process.
    this.#socket = io({ transports: ['websocket', 'polling'], tryAllTransports: true, autoConnect: false });

    this.#socket.on('connect', () => void this.#goLive());
    this.#socket.on('disconnect', (reason) => {
      this.#lost();
      // The server ended it, so Socket.IO does not try again; a new attempt will tell us why.
      if (reason === 'io server disconnect') this.#socket.connect();
    });
    this.#socket.on('connect_error', (error) => void this.#refused(error));
    this.#socket.on('event:created', (event: SystemEvent) => {
      this.#feed.take(event).catch(() => this.#retry());
    });
    for (const [message, list] of Object.entries(CHANGES)) {
      this.#socket.on(message, () => listener.onChanged(list));
    }
  }

  open(): void {
    window.addEventListener('online', this.#onOnline);
    window.addEventListener('offline', this.#onOffline);
    this.#socket.connect();
  }

  close(): void {
    window.removeEventListener('online', this.#onOnline);
    window.removeEventListener('offline', this.#onOffline);
    this.#timers.forEach((timer) => clearTimeout(timer));
    this.#timers.clear();
    this.#socket.removeAllListeners();
    this.#socket.disconnect();
  }

  readonly #onOnline = (): void => void this.#socket.connect();
  readonly #onOffline = (): void => this.#become('offline');

  async #goLive(): Promise<void> {
    try {
      const answer: SubscribeAnswer = await this.#socket.timeout(10_000).emitWithAck('ui:subscribe', {});
      if (answer.ok) await this.#feed.resume(answer.seq);
      // Who may not read events is connected all the same; any other refusal passes.
      else if (answer.code !== 'FORBIDDEN') throw new Error(answer.code);
      if (this.#socket.connected) this.#become('live');
    } catch {
      this.#lost();
      this.#retry();
    }
  }

  /** A refused handshake. Only the API itself can tell whether the session is over. */
  async #refused(error: Error): Promise<void> {
    this.#lost();
    if (error.message === 'UNAUTHORIZED') {
      const over = await api.GET('/api/auth/me').then(
        () => false,
        (reason: unknown) => reason instanceof ApiError && reason.status === 401,
      );
      if (over) return this.#become('signed-out');
    }
    // Socket.IO goes on by itself unless the server itself said no.
    if (!this.#socket.active) this.#retry();
  }

  #retry(): void {
    this.#after('retry', RETRY_MS, () =>
      this.#socket.connected ? void this.#goLive() : this.#socket.connect(),
    );
  }

  #lost(): void {
    if (this.#state === 'live' || this.#state === 'connecting') this.#become('reconnecting');
    if (this.#state === 'reconnecting' && !this.#timers.has('offline')) {
      this.#after('offline', OFFLINE_AFTER_MS, () => this.#become('offline'));
    }
  }

  #become(state: ConnectionState): void {
    if (state !== 'reconnecting') this.#clear('offline');
    if (state === this.#state) return;
    this.#state = state;
    this.#listener.onState(state);
  }

  #after(name: 'retry' | 'offline', ms: number, action: () => void): void {
    this.#clear(name);
    const timer = setTimeout(() => {
      this.#timers.delete(name);
      action();
    }, ms);
    this.#timers.set(name, timer);
  }

  #clear(name: 'retry' | 'offline'): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }
}

async function readEventsAfter(afterSeq: number, limit: number): Promise<SystemEvent[]> {
  const page = await bodyOf(api.GET('/api/events', { params: { query: { afterSeq, limit } } }));
  return page.items;
}
