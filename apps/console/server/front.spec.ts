import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { Server as SocketServer } from 'socket.io';
import { io } from 'socket.io-client';
import { createFront } from './front';
import { forwardedFor } from './upstream';

/** What a request looked like when it arrived at the API. */
interface Seen {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

describe('the front', () => {
  let api: http.Server;
  let sockets: SocketServer;
  let front: http.Server;
  let origin: string;
  let seen: Seen[];
  let answer: (request: Seen, response: http.ServerResponse) => void;
  let pageHeaders: http.IncomingHttpHeaders;

  beforeEach(async () => {
    seen = [];
    answer = (_request, response) => response.end('from the API');
    api = http.createServer(async (request, response) => {
      request.setEncoding('utf8');
      let body = '';
      for await (const chunk of request) body += chunk;
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body });
      answer(seen.at(-1)!, response);
    });
    sockets = new SocketServer(api, { serveClient: false });
    front = createFront(new URL(await listen(api)), {
      request: async (request, response) => {
        pageHeaders = request.headers;
        response.end('a page');
      },
    });
    origin = await listen(front);
  });

  afterEach(async () => {
    front.closeAllConnections();
    front.close();
    await sockets.close();
  });

  it.each(['/', '/managers', '/apis', '/sign-in', '/socket.ioo', '/send-start-calculation/x'])(
    'serves %s itself',
    async (path) => {
      expect(await text(path)).toBe('a page');
    },
  );

  it.each(['/api/tasks?limit=2', '/api', '/send-start-calculation', '/send-stop-calculation'])(
    'hands %s on',
    async (path) => {
      expect(await text(path)).toBe('from the API');
      expect(seen[0]?.url).toBe(path);
    },
  );

  it.each(['/metrics', '/readyz', '/api/../metrics', '/api/%2e%2e/metrics', '//x/api/tasks'])(
    'keeps %s of the API to itself',
    async (path) => {
      await rawGet(path);
      expect(seen).toEqual([]);
    },
  );

  it('is alive without the API', async () => {
    api.close();
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  });

  it('hands on method, body, cookies and status as they are', async () => {
    answer = (_request, response) => {
      response.setHeader('set-cookie', ['a=1; HttpOnly', 'b=2']);
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"made":true}');
    };
    const body = JSON.stringify({ text: 'ü'.repeat(300_000) });
    const response = await fetch(`${origin}/api/things`, {
      method: 'POST',
      body,
      headers: { cookie: 'c=3' },
    });
    expect(response.status).toBe(201);
    expect(response.headers.getSetCookie()).toEqual(['a=1; HttpOnly', 'b=2']);
    expect(await response.json()).toEqual({ made: true });
    expect(seen[0]).toMatchObject({ method: 'POST', body, headers: { cookie: 'c=3' } });
  });

  it('appends the address of the caller and keeps the host', async () => {
    await fetch(`${origin}/api/x`, {
      headers: { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' },
    });
    await fetch(`${origin}/api/x`);
    expect(seen[0]?.headers['x-forwarded-for']).toBe('203.0.113.9, 127.0.0.1');
    expect(seen[0]?.headers['x-forwarded-proto']).toBe('https');
    expect(seen[1]?.headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(seen[1]?.headers['x-forwarded-proto']).toBe('http');
    expect(seen[1]?.headers.host).toBe(new URL(origin).host);
  });

  it('tells the pages about the caller what it tells the API', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
    await fetch(`${origin}/api/x`, { headers });
    await fetch(`${origin}/managers`, { headers });
    for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']) {
      expect(pageHeaders[name]).toBe(seen[0]?.headers[name]);
    }
    expect(pageHeaders['x-forwarded-for']).toBe('203.0.113.9, 127.0.0.1');
  });

  it('serves a caller who names no host', async () => {
    expect(await exchange('GET /api/x HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 .*from the API$/s);
  });

  it.each([
    ['h2c', 'GET', '/', 'a page'],
    ['h2c', 'GET', '/api/x', 'from the API'],
    ['h2c', 'GET', '/socket.io/', 'Transport unknown'],
    ['websocket', 'GET', '/', 'a page'],
    ['websocket', 'GET', '/_next/hmr', 'a page'],
    ['websocket', 'GET', '/api/x', 'from the API'],
    ['websocket', 'POST', '/api/x', 'from the API'],
  ])('answers as ever whoever offers %s with %s %s', async (protocol, method, path, expected) => {
    const said = await exchange(
      `${method} ${path} HTTP/1.1\r\nHost: console\r\nConnection: Upgrade, close\r\n` +
        `Upgrade: ${protocol}\r\nContent-Length: ${method === 'POST' ? 4 : 0}\r\n\r\n` +
        (method === 'POST' ? 'body' : ''),
    );
    expect(said).toMatch(/^HTTP\/1\.1 [24]0/);
    expect(said).toContain(expected);
    if (method === 'POST') expect(seen[0]?.body).toBe('body');
    expect(seen[0]?.headers.upgrade).toBeUndefined();
  });

  it('leaves hot reloading to the pages, where they have it', async () => {
    const developing = createFront(new URL(origin), {
      request: async (_request, response) => void response.end('a page'),
      upgrade: (request, socket) => void socket.end(`HTTP/1.1 101 Reloading ${request.url}\r\n\r\n`),
    });
    const address = await listen(developing);
    const offer = (path: string) =>
      exchange(
        `GET ${path} HTTP/1.1\r\nHost: console\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
        address,
      );
    expect(await offer('/_next/hmr')).toMatch(/^HTTP\/1\.1 101 Reloading \/_next\/hmr/);
    expect(await offer('/managers')).toMatch(/a page$/);
    developing.close();
  });

  it('calls a caller by one name on whatever address it listens', () => {
    const request = { headers: {}, socket: { remoteAddress: '::ffff:10.0.0.7' } } as http.IncomingMessage;
    expect(forwardedFor(request)['x-forwarded-for']).toBe('10.0.0.7');
  });

  it('passes each piece of a stream on as it comes', async () => {
    let sendRest = (): void => {};
    answer = (_request, response) => {
      response.write('first ');
      sendRest = () => response.end('second');
    };
    const reader = (await fetch(`${origin}/api/stream`))
      .body!.pipeThrough(new TextDecoderStream())
      .getReader();
    expect((await reader.read()).value).toBe('first ');
    sendRest();
    expect((await reader.read()).value).toBe('second');
  });

  it('tells the API when the browser has gone', async () => {
    const gone = new Promise<void>((resolve) => {
      answer = (_request, response) => response.on('close', resolve);
    });
    const abort = new AbortController();
    const call = fetch(`${origin}/api/poll`, { signal: abort.signal }).catch(() => 'aborted');
    await eventually(() => seen.length === 1);
    abort.abort();
    await gone;
    expect(await call).toBe('aborted');
  });

  it('says 503 while the API is away, and goes on when it is back', async () => {
    const { port } = api.address() as AddressInfo;
    await sockets.close();
    const away = await fetch(`${origin}/api/tasks`);
    expect(away.status).toBe(503);
    expect(away.headers.get('content-type')).toBe('application/problem+json');
    expect(await away.json()).toMatchObject({ status: 503, code: 'API_UNREACHABLE' });

    const again = http.createServer((_request, response) => response.end('back')).listen(port, '127.0.0.1');
    await once(again, 'listening');
    expect(await text('/api/tasks')).toBe('back');
    again.closeAllConnections();
    again.close();
  });

  it.each(['websocket', 'polling'])('carries Socket.IO over %s', async (transport) => {
    sockets.on('connection', (socket) =>
      socket.on('echo', (value, done) => done([value, socket.handshake.address])),
    );
    const client = io(origin, { transports: [transport], extraHeaders: { cookie: 'session=7' } });
    sockets.use((socket, next) =>
      socket.handshake.headers.cookie === 'session=7' ? next() : next(new Error('UNAUTHORIZED')),
    );
    await once(client as never, 'connect');
    expect((await client.emitWithAck('echo', 'hello'))[0]).toBe('hello');
    client.disconnect();
  });

  it('ends the browser’s socket with the API’s', async () => {
    const client = io(origin, { transports: ['websocket'], reconnection: false });
    await once(client as never, 'connect');
    sockets.disconnectSockets(true);
    const [reason] = await once(client as never, 'disconnect');
    expect(reason).toBe('io server disconnect');
  });

  async function text(path: string): Promise<string> {
    return (await fetch(origin + path)).text();
  }

  /** What comes back for these very bytes until the connection ends. */
  async function exchange(request: string, address = origin): Promise<string> {
    const socket = net.connect(Number(new URL(address).port), '127.0.0.1').setEncoding('utf8');
    socket.write(request);
    let said = '';
    for await (const chunk of socket) said += chunk;
    return said;
  }

  /** As it is, without the client making the path tidy first. */
  async function rawGet(path: string): Promise<void> {
    const { hostname, port } = new URL(origin);
    const [response] = await once(http.get({ hostname, port, path }), 'response');
    response.resume();
    await once(response, 'end');
  }
});

async function listen(server: http.Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
