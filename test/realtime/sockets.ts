import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { clientOf, signIn } from '../support/client.js';

type Options = Partial<ManagerOptions & SocketOptions>;

const opened = new Set<Socket>();

/** A socket that does not connect yet, and never again by itself. */
export function socketOf(url: string, options: Options = {}): Socket {
  const socket = io(url, {
    forceNew: true,
    reconnection: false,
    autoConnect: false,
    transports: ['websocket'],
    ...options,
  });
  opened.add(socket);
  return socket;
}

export function connect(url: string, token: string, options: Options = {}): Promise<Socket> {
  return connected(socketOf(url, { auth: { token }, ...options }));
}

/** Resolves when the socket is connected; rejects with the server's refusal. */
export async function connected(socket: Socket): Promise<Socket> {
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
    socket.connect();
  });
  return socket;
}

/** Why the server does not let it in. */
export async function refusal(url: string, options: Options = {}): Promise<string> {
  const error: unknown = await connected(socketOf(url, options)).catch((reason: unknown) => reason);
  return error instanceof Error ? error.message : 'it was let in';
}

/** Resolves with the reason when the connection ends. */
export async function ended(socket: Socket): Promise<string> {
  if (socket.disconnected) throw new Error('It had ended before');
  return new Promise((resolve) => socket.once('disconnect', resolve));
}

/** To be called after each test. */
export function closeSockets(): void {
  for (const socket of opened) socket.disconnect();
  opened.clear();
}

/** A new user of that role, signed in. */
export async function signInAs(url: string, role: string): Promise<{ id: string; token: string }> {
  const user = { username: `${role}-${crypto.randomUUID()}`, password: 'a password for tests' };
  const { client } = await signIn(url);
  const { status, body } = await client('POST', '/api/users', { ...user, role });
  if (status !== 201) throw new Error(`A user could not be made: ${JSON.stringify(body)}`);
  return { id: body.id as string, token: (await signIn(url, user)).token };
}

export async function signInAsGuest(url: string, username: string): Promise<string> {
  const { body } = await clientOf(url)('POST', '/api/auth/guest', { username });
  return body.accessToken as string;
}
