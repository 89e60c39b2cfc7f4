import http from 'node:http';
import https from 'node:https';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Headers that speak of one connection only (RFC 9110, 7.6.1) and therefore are not handed on. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Hands a browser's request on to the API and the API's answer back, as they are: streamed, uncompressed,
 * and without a time limit, since the API holds polls and starts for as long as it needs to.
 */
export class Upstream {
  readonly #origin: URL;
  readonly #client: typeof http | typeof https;
  readonly #agent: http.Agent;

  constructor(origin: URL) {
    this.#origin = origin;
    this.#client = origin.protocol === 'https:' ? https : http;
    this.#agent = new this.#client.Agent({ keepAlive: true });
  }

  forward(request: IncomingMessage, response: ServerResponse, path: string): void {
    const outgoing = this.#open(request, path, endToEnd(request.headers));

    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      answer.pipe(response);
      // Half an answer must not look like a whole one.
      answer.on('error', () => response.destroy());
    });
    outgoing.on('error', () => (response.headersSent ? response.destroy() : answerUnavailable(response)));
    response.on('close', () => outgoing.destroy());

    request.pipe(outgoing);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, path: string): void {
    const outgoing = this.#open(request, path, {
      ...endToEnd(request.headers),
      connection: 'Upgrade',
      upgrade: request.headers.upgrade,
    });
    socket.on('error', () => outgoing.destroy());
    socket.on('close', () => outgoing.destroy());

    outgoing.on('upgrade', (answer, upstream, upstreamHead) => {
      socket.write(rawHead(answer));
      if (upstreamHead.length > 0) socket.write(upstreamHead);
      if (head.length > 0) upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
      upstream.on('error', () => socket.destroy());
      upstream.on('close', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
    });
    // The API declined to upgrade and says why.
    outgoing.on('response', (answer) => {
      socket.write(rawHead(answer, { connection: 'close' }));
      answer.pipe(socket);
    });
    outgoing.on('error', () => {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n\r\n');
    });
    outgoing.end();
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(request: IncomingMessage, path: string, headers: OutgoingHttpHeaders): http.ClientRequest {
    return this.#client.request({
      protocol: this.#origin.protocol,
      hostname: this.#origin.hostname.replace(/^\[|\]$/g, ''),
      port: this.#origin.port,
      path,
      method: request.method,
      headers: { ...headers, ...forwardedFor(request) },
      agent: this.#agent,
      servername: this.#origin.hostname,
    });
  }
}

/**
 * Says who called. The address is appended, so that the API reads from the right and counts the hops that it
 * trusts. `Host` stays the browser's: the API compares it with `Origin` to refuse foreign pages.
 */
export function forwardedFor(request: IncomingMessage): OutgoingHttpHeaders {
  const earlier = request.headers['x-forwarded-for'];
  // A server on all addresses sees IPv4 callers in the disguise of IPv6; one caller has one name.
  const address = request.socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? 'unknown';
  return {
    'x-forwarded-for': earlier ? `${earlier}, ${address}` : address,
    'x-forwarded-proto': request.headers['x-forwarded-proto'] ?? 'http',
    // HTTP/1.0 knows callers who name no host.
    'x-forwarded-host': request.headers['x-forwarded-host'] ?? request.headers.host ?? '',
  };
}

function endToEnd(headers: http.IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)),
  );
}

function rawHead(answer: IncomingMessage, replaced: Record<string, string> = {}): string {
  const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`];
  for (let i = 0; i < answer.rawHeaders.length; i += 2) {
    const name = answer.rawHeaders[i]!;
    if (!(name.toLowerCase() in replaced)) lines.push(`${name}: ${answer.rawHeaders[i + 1]}`);
  }
  for (const [name, value] of Object.entries(replaced)) lines.push(`${name}: ${value}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function answerUnavailable(response: ServerResponse): void {
  const problem = {
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    detail: 'The API does not answer.',
    code: 'API_UNREACHABLE',
  };
  response.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '1' });
  response.end(JSON.stringify(problem));
}
