import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below what Linux (32768) and macOS (49152) give to outgoing connections: a client that keeps
// knocking while its server restarts could otherwise be given the server's own port, and keep it.
const lowest = 15_000;
const highest = 30_000;

/** A port on the loopback address that nobody listens on. Somebody may still be quicker to take it. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(lowest, highest);
    try {
      await listenOnce(port);
      return port;
    } catch (error) {
      if (attempt === 100) throw error;
    }
  }
}

async function listenOnce(port: number): Promise<void> {
  const server = createServer();
  server.listen({ host: '127.0.0.1', port, exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
