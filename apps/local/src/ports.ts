import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartFailure } from './start-failure.js';

/** Fails with the setting to change when somebody else listens on the port. */
export async function requireFreePort(port: number, setting: string): Promise<void> {
  // Some systems let one program listen on all addresses and another on one of them: both are asked.
  for (const host of [undefined, '127.0.0.1']) {
    const server = createServer();
    try {
      server.listen({ port, host, exclusive: true });
      await once(server, 'listening');
    } catch (error) {
      throw new StartFailure(`${reason(port, error)}; set ${setting} to another port.`);
    }
    server.close();
    await once(server, 'close');
  }
}

function reason(port: number, error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `Port ${port} is taken by another program`;
    case 'EACCES':
      return `Port ${port} may not be used by this user`;
    default:
      return `Port ${port} cannot be used (${(error as Error).message})`;
  }
}
