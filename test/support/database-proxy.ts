import { EventEmitter, once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface DatabaseProxy {
  readonly url: string;
  /** The server is gone: connections break and new ones are refused. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  /** A firewall forgets: what is sent over any connection from now on vanishes, and nobody is told. */
  swallow(): void;
  /** New connections work again; those that lost something never do. */
  forward(): void;
  /** Resolves when the next bytes have vanished. */
  swallowed(): Promise<unknown>;
  close(): Promise<void>;
}

/** A way to the database that can break like a real one. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const events = new EventEmitter();
  const sockets = new Set<Socket>();
  let silent = false;
  let server: Server;

  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (data) => {
      if (!silent) return void to.write(data);
      from.removeAllListeners('data').resume();
      events.emit('swallowed');
    });
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const listen = async (port: number) => {
    server = createServer((incoming) => {
      const outgoing = connect(Number(target.port), target.hostname);
      pass(incoming, outgoing);
      pass(outgoing, incoming);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };

  const port = await listen(0);
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.toString(),
    refuse: close,
    accept: async () => void (await listen(port)),
    swallow: () => void (silent = true),
    forward: () => void (silent = false),
    swallowed: () => once(events, 'swallowed'),
    close,
  };
}
