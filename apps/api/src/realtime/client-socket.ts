import type { EventRecord } from '@muster/protocol/events';
import type { Server, Socket } from 'socket.io';
import type { Caller } from '../auth/caller.js';

/** What a socket may be told. Whoever adds a message adds its line here. */
export interface ServerEvents {
  'event:created': (event: EventRecord) => void;
}

/** What is known of a socket: who proved to be at its other end. */
interface SocketData {
  caller: Caller;
}

/** What clients send is not typed here: each event's own class says what it takes, and is checked. */
type Unchecked = Record<string, never>;

export type ClientSocket = Socket<Unchecked, ServerEvents, Unchecked, SocketData>;
export type SocketServer = Server<Unchecked, ServerEvents, Unchecked, SocketData>;

/** Everybody who subscribed to whatever they may read. */
export const UI_ROOM = 'ui';
/** All sockets of one account, wherever it signed in. */
export const accountRoom = (accountId: string) => `account:${accountId}`;
