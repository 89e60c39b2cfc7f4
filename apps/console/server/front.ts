import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Upstream } from './upstream.ts';

/** What renders the console's own pages. */
export interface Pages {
  request(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** What of the API the browser may reach. Everything else, metrics and health among it, stays inside. */
const API_PATHS = /^\/(api|socket\.io)(\/|$)|^\/send-(start|stop)-calculation$/;

/**
 * One origin for the browser: pages from Next, everything else from the API. Next could do this by rewriting,
 * but its rewrites neither know the caller's address nor hold a request for more than a set time, and they
 * answer 500 where the API is merely away.
 */
export function createFront(api: URL, pages: Pages): Server {
  const upstream = new Upstream(api);

  const server = createServer((request, response) => {
    const path = normalisedPath(request);
    if (path === null) {
      response.writeHead(400).end();
    } else if (path === '/healthz') {
      response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end('ok\n');
    } else if (API_PATHS.test(pathname(path))) {
      upstream.forward(request, response, path);
    } else {
      pages.request(request, response).catch((error: unknown) => {
        console.error(error);
        response.destroy();
      });
    }
  });

  server.on('upgrade', (request, socket, head) => {
    const path = normalisedPath(request);
    if (path !== null && API_PATHS.test(pathname(path))) {
      upstream.upgrade(request, socket, head, path);
    } else if (pages.upgrade) {
      pages.upgrade(request, socket, head);
    } else {
      socket.destroy();
    }
  });

  server.on('close', () => upstream.close());
  return server;
}

/** Path and query with dot segments resolved, so that `/api/../metrics` is seen for what it is. */
function normalisedPath(request: IncomingMessage): string | null {
  const url = URL.parse(`http://console${request.url}`);
  return url && request.url?.startsWith('/') ? url.pathname + url.search : null;
}

function pathname(path: string): string {
  return path.split('?', 1)[0]!;
}
