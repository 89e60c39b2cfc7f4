import {
  WebSocketGateway,
  type OnGatewayConnection,
  type OnGatewayDisconnect,
  type OnGatewayInit,
} from '@nestjs/websockets';
import { Metrics } from '../http/metrics.js';
import type { ClientSocket, SocketServer } from './client-socket.js';
import { CredentialWatch } from './credential-watch.js';
import { Dispatcher } from './dispatcher.js';
import { Handshake } from './handshake.js';
import { Sockets } from './sockets.js';

/** The life of a socket: admitted by the handshake, heard by the dispatcher, ended with its credential. */
@WebSocketGateway()
export class SocketsGateway implements OnGatewayInit, OnGatewayConnection, OnGatewayDisconnect {
  constructor(
    private readonly sockets: Sockets,
    private readonly handshake: Handshake,
    private readonly dispatcher: Dispatcher,
    private readonly watch: CredentialWatch,
    private readonly metrics: Metrics,
  ) {}

  afterInit(server: SocketServer): void {
    this.sockets.open(server);
    server.use(this.handshake.middleware);
  }

  handleConnection(socket: ClientSocket): void {
    this.metrics.sockets.set(this.sockets.total);
    this.dispatcher.attach(socket);
    this.watch.begin(socket);
  }

  handleDisconnect(socket: ClientSocket): void {
    this.metrics.sockets.set(this.sockets.total);
    this.watch.end(socket);
  }
}
