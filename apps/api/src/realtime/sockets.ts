import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Metrics } from '../http/metrics.js';
import type { ClientSocket, ServerEvents, SocketServer } from './client-socket.js';
import { Dispatcher } from './dispatcher.js';

/** Messages that may wait for one reader. Who falls further behind catches up from the tables. */
const MOST_UNSENT = 10_000;
const LOOK_FOR_LAGGARDS_MS = 1_000;
/** When the process goes: time for what is under way, and then for the other ends to close theirs. */
const FINISH_MS = 3_000;
const FAREWELL_MS = 500;

/** The sockets of this process. Those of other processes are told by their own, from the same rows. */
@Injectable()
export class Sockets {
  private server: SocketServer | undefined;
  private laggardCheck: NodeJS.Timeout | undefined;
  /** Connections that became WebSockets, which the HTTP server still waits for but cannot close. */
  private readonly upgraded = new Set<Duplex>();

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly metrics: Metrics,
  ) {}

  open(server: SocketServer): void {
    this.server = server;
    this.laggardCheck = setInterval(() => this.dropLaggards(), LOOK_FOR_LAGGARDS_MS).unref();
    server.httpServer.on('upgrade', (_request: unknown, connection: Duplex) => {
      this.upgraded.add(connection);
      connection.once('close', () => this.upgraded.delete(connection));
    });
  }

  /** Tells everybody in the room, as far as they hang on this process. */
  send<Event extends keyof ServerEvents>(
    room: string,
    event: Event,
    ...message: Parameters<ServerEvents[Event]>
  ): void {
    this.metrics.socketMessages.inc({ event }, this.count(room));
    this.server?.local.to(room).emit(event, ...message);
  }

  get total(): number {
    return this.server?.sockets.sockets.size ?? 0;
  }

  count(room: string): number {
    return this.server?.sockets.adapter.rooms.get(room)?.size ?? 0;
  }

  /**
   * Answers what is under way, then closes all connections in the way that makes clients look for another
   * process. Who does not close its own end is cut off, since the HTTP server would wait for it.
   */
  async close(): Promise<void> {
    clearInterval(this.laggardCheck);
    await atMost(FINISH_MS, this.dispatcher.idle());
    this.server?.engine.close();
    await atMost(FAREWELL_MS, Promise.all([...this.upgraded].map((connection) => once(connection, 'close'))));
    for (const connection of this.upgraded) connection.destroy();
  }

  private dropLaggards(): void {
    for (const socket of this.server?.sockets.sockets.values() ?? []) {
      // Without sending the rest, which it does not take anyway.
      if (unsent(socket) > MOST_UNSENT) socket.conn.close(true);
    }
  }
}

function unsent({ conn }: ClientSocket): number {
  return conn['writeBuffer'].length;
}

async function atMost(ms: number, finished: Promise<unknown>): Promise<void> {
  const limit = new AbortController();
  await Promise.race([finished, delay(ms, undefined, { signal: limit.signal })]);
  limit.abort();
}
