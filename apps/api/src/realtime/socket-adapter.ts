import type { IncomingMessage } from 'node:http';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServerOptions } from 'socket.io';
import { BODY_LIMIT } from '../http/body.js';
import { SECURITY_HEADERS } from '../http/security-headers.js';
import { SETTINGS } from '../runtime.js';
import type { Settings } from '../settings.js';
import type { SocketServer } from './client-socket.js';
import { Handshake } from './handshake.js';
import { Sockets } from './sockets.js';

type IoServer = ReturnType<IoAdapter['createIOServer']>;

/** A connection that has not said who it is by then is closed. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Socket.IO on the API's own HTTP server, in front of Fastify. All events go through the dispatcher, so Nest
 * binds none: what is declared with `@SubscribeMessage` is an unknown event.
 */
export class SocketAdapter extends IoAdapter {
  private readonly handshake: Handshake;
  private readonly sockets: Sockets;
  private readonly settings: Settings;

  constructor(app: NestFastifyApplication) {
    super(app);
    this.handshake = app.get(Handshake);
    this.sockets = app.get(Sockets);
    this.settings = app.get<Settings>(SETTINGS);
  }

  override createIOServer(port: number): IoServer {
    const leaseMs = this.settings.MUSTER_WORKER_LEASE_MS;
    const pingInterval = Math.ceil(leaseMs / 3);
    const options: Partial<ServerOptions> = {
      serveClient: false,
      transports: ['polling', 'websocket'],
      maxHttpBufferSize: BODY_LIMIT,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // Silence for as long as a worker's lease lasts is the end of the connection too.
      pingInterval,
      pingTimeout: leaseMs - pingInterval,
      allowRequest: (request: IncomingMessage, decide) => {
        const refusal = this.handshake.refuseRequest(request, server.engine.clientsCount);
        decide(refusal, refusal === null);
      },
    };
    const server = super.createIOServer(port, options as never);
    addSecurityHeaders(server as never);
    return server;
  }

  override bindMessageHandlers(): void {}

  /** The HTTP server is not ours to close. */
  override async close(): Promise<void> {
    await this.sockets.close();
  }
}

/** Fastify does not see these answers, so it cannot add its own. */
function addSecurityHeaders(server: SocketServer): void {
  server.engine.on('headers', (headers: Record<string, string>) => {
    Object.assign(headers, SECURITY_HEADERS, { 'cache-control': 'no-store' });
  });
}
