import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Metrics } from '../http/metrics.js';
import type { ClientSocket, ServerEvents, SocketServer } from './client-socket.js';
import { Dispatcher } from './dispatcher.js';

/** Messages that may wait for one reader. Who falls further behind catches up from the tables. */
const MOST_UNSENT = 10_000;
const LOOK_FOR_LAGGARDS_MS = 1_000;
/** How long those who leave politely have for it, when the process goes. */
const FINISH_MS = 3_000;
const FAREWELL_MS = 500;

/** The sockets of this process. Those of other processes are told by their own, from the same rows. */
@Injectable()
export class Sockets {
  private server: SocketServer | undefined;
  private laggards: NodeJS.Timeout | undefined;
  /** TCP connections that became WebSockets: the HTTP server no longer counts them as its own. */
  private readonly upgraded = new Set<{ destroy(): void }>();

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly metrics: Metrics,
  ) {}

  open(server: SocketServer): void {
    this.server = server;
    this.laggards = setInterval(() => this.dropLaggards(), LOOK_FOR_LAGGARDS_MS).unref();
    server.httpServer.on('upgrade', (_request, connection) => {
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

  count(room: string): number {
    return this.server?.sockets.adapter.rooms.get(room)?.size ?? 0;
  }

  /**
   * Answers what is under way and closes all connections, in a way that makes clients look for another process.
   * Whoever does not close its end in time is cut off: the HTTP server would wait for it.
   */
  async close(): Promise<void> {
    clearInterval(this.laggards);
    await Promise.race([this.dispatcher.idle(), delay(FINISH_MS, undefined, { ref: false })]);
    this.server?.engine.close();
    const closed = [...this.upgraded].map((connection) => closing(connection as never));
    await Promise.race([Promise.all(closed), delay(FAREWELL_MS, undefined, { ref: false })]);
    for (const connection of this.upgraded) connection.destroy();
  }

  private dropLaggards(): void {
    for (const socket of this.server?.sockets.sockets.values() ?? []) {
      if (unsent(socket) > MOST_UNSENT) socket.disconnect(true);
    }
  }
}
