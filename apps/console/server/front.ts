import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { forwardedFor, Upstream } from './upstream.ts';

/** What renders the console's own pages. */
export interface Pages {
  request(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

type Taker = (socket: Duplex, head: Buffer) => void;

/** What of the API the browser may reach. Everything else, metrics and health among it, stays inside. */
const API_PATHS = /^\/(api|socket\.io)(\/|$)|^\/send-(start|stop)-calculation$/;
const SOCKET_PATH = /^\/socket\.io\//;
const HOT_RELOAD_PATH = /^\/_next\//;

/**
 * One origin for the browser: pages from Next, everything else from the API. Next could do this by rewriting,
 * but its rewrites neither know the caller's address nor hold a request for more than a set time, and they
 * answer 500 where the API is merely away.
 */
export function createFront(api: URL, pages: Pages): Server {
  const upstream = new Upstream(api);

  /** Who takes over the connection; without anybody, the offer to upgrade is ignored, as HTTP allows. */
  function takerOf(request: IncomingMessage): Taker | undefined {
    const path = normalisedPath(request);
    if (path === null || request.method !== 'GET') return undefined;
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
    if (SOCKET_PATH.test(path)) return (socket, head) => upstream.upgrade(request, socket, head, path);
    if (HOT_RELOAD_PATH.test(path)) return pages.upgrade?.bind(pages, request);
    return undefined;
  }

  const shouldUpgradeCallback = (request: IncomingMessage): boolean => takerOf(request) !== undefined;
  const server = createServer({ shouldUpgradeCallback }, (request, response) => {
    const path = normalisedPath(request);
    if (path === null) {
      response.writeHead(400).end();
    } else if (path === '/healthz') {
      response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end('ok\n');
    } else if (API_PATHS.test(pathname(path))) {
      upstream.forward(request, response, path);
    } else {
      // The pages ask the API on behalf of the caller, who must look the same there as without this detour.
      Object.assign(request.headers, forwardedFor(request));
      pages.request(request, response).catch((error: unknown) => {
        console.error(error);
        response.destroy();
      });
    }
  });

  server.on('upgrade', (request, socket, head) => takerOf(request)?.(socket, head));
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
