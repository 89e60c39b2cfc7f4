import { once } from 'node:events';
import { connect } from 'node:net';
import type { Answer } from '../../support/client.js';

/** Sends these very bytes, which no decent client would, and reads the answer until the server hangs up. */
export async function rawRequest(url: string, bytes: string | Buffer): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // The server may refuse, and hang up, before it has read everything.
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close');
  return parse(Buffer.concat(chunks).toString());
}

function parse(text: string): Answer {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
  return { status: Number(statusLine.split(' ')[1]), headers, body: body ? JSON.parse(body) : '' };
}
