import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from './problem.filter.js';
import { refusalOf } from './problem.js';
import { SECURITY_HEADERS } from './security-headers.js';

/** What is refused before any hook runs gets here what the hooks would have said. */
const HEADERS = { ...SECURITY_HEADERS, 'cache-control': 'no-store' };

/** A URL that the router cannot read. */
export function refuseUrl(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ ...HEADERS, 'x-request-id': request.id });
  sendProblem(error, request, reply);
}

const STATUS_OF: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/** What is not HTTP, or too much of it, or too slow: there is no request yet, only a connection. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const status = STATUS_OF[error.code ?? ''] ?? 400;
  const body = JSON.stringify(refusalOf(status, ''));
  const headers = {
    ...HEADERS,
    'x-request-id': randomUUID(),
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (socket.writable)
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  socket.destroy(error);
}
