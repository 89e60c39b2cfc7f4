import { EventEmitter, once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface DatabaseProxy {
  readonly url: string;
  /** The server is gone: connections break and new ones are refused. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  /** Connections of the application with this name break, and so do its new ones until they are let through. */
  cut(name: string): void;
  letThrough(name: string): void;
  /** A firewall forgets: what is sent over any connection from now on vanishes, and nobody is told. */
  swallow(): void;
  /** The same, but only for the connections that there are: new ones work. */
  swallowPresent(): void;
  /** New connections work again; those that lost something never do. */
  forward(): void;
  /** Resolves when the next bytes have vanished. */
  swallowed(): Promise<unknown>;
  /**
   * Stops the next message with this text on an application's connection: before it reaches the server, or
   * after, when the server has answered. Resolves when it is stopped.
   */
  hold(text: string, where: 'before' | 'after', name: string): Promise<Held>;
  close(): Promise<void>;
}

export interface Held {
  release(): void;
  /** Both sides lose the connection, with what is held. */
  cut(): void;
}

interface Trap {
  readonly text: string;
  readonly where: 'before' | 'after';
  readonly name: string;
  readonly spring: (held: Held) => void;
}

/** A connection of the product on its way to the database. */
interface Route {
  readonly client: Socket;
  readonly server: Socket;
  /** What the application calls itself. */
  name: string | undefined;
  silent: boolean;
  /** The answer to what went by is to be stopped. */
  awaited: Trap | undefined;
}

/** A way to the database that can break like a real one. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const events = new EventEmitter();
  const routes = new Set<Route>();
  const cutOff = new Set<string>();
  const traps = new Set<Trap>();
  let silent = false;
  let server: Server;

  const open = (client: Socket) => {
    const outgoing = connect(Number(target.port), target.hostname);
    const route: Route = { client, server: outgoing, name: undefined, silent: false, awaited: undefined };
    routes.add(route);
    pass(route, client, outgoing, (data) => {
      if (route.name === undefined) {
        route.name = applicationName(data);
        if (cutOff.has(route.name)) return breakOff(route);
      }
      const trap = [...traps].find(({ name, text }) => name === route.name && data.includes(text));
      if (!trap) return void outgoing.write(data);
      traps.delete(trap);
      if (trap.where === 'before') return stop(route, client, outgoing, data, trap);
      route.awaited = trap;
      outgoing.write(data);
    });
    pass(route, outgoing, client, (data) => {
      const { awaited } = route;
      if (!awaited) return void client.write(data);
      route.awaited = undefined;
      stop(route, outgoing, client, data, awaited);
    });
  };
  const pass = (route: Route, from: Socket, to: Socket, take: (data: Buffer) => void) => {
    from.on('data', (data: Buffer) => {
      if (!silent && !route.silent) return take(data);
      from.removeAllListeners('data').resume();
      events.emit('swallowed');
    });
    from.on('error', () => {});
    from.on('close', () => {
      routes.delete(route);
      to.destroy();
    });
  };
  const stop = (route: Route, from: Socket, to: Socket, data: Buffer, trap: Trap) => {
    from.pause();
    trap.spring({
      release: () => {
        to.write(data);
        from.resume();
      },
      cut: () => breakOff(route),
    });
  };
  const breakOff = ({ client, server }: Route) => {
    client.destroy();
    server.destroy();
  };
  const listen = async (port: number) => {
    server = createServer(open);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const close = async () => {
    routes.forEach(breakOff);
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
    cut: (name) => {
      cutOff.add(name);
      for (const route of routes) if (route.name === name) breakOff(route);
    },
    letThrough: (name) => void cutOff.delete(name),
    swallow: () => void (silent = true),
    swallowPresent: () => routes.forEach((route) => (route.silent = true)),
    forward: () => void (silent = false),
    swallowed: () => once(events, 'swallowed'),
    hold: (text, where, name) => new Promise((spring) => void traps.add({ text, where, name, spring })),
    close,
  };
}

/** From the first packet of a connection: names and values, each ended by a zero. */
function applicationName(startup: Buffer): string {
  const words = startup.toString('utf8', 8).split('\0');
  return words[words.indexOf('application_name') + 1] ?? '';
}
