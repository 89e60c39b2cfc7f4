import { EventEmitter, once } from 'node:events';
import type { EventRecord } from '@muster/protocol/events';
import type { Socket } from 'socket.io-client';
import { connect } from './sockets.js';

export interface Subscription {
  readonly socket: Socket;
  /** From the acknowledgement: everything after it is heard. */
  readonly seq: number;
  readonly events: EventRecord[];
  /** Resolves with the first event, past or future, that matches. */
  first(matches: (event: EventRecord) => boolean): Promise<EventRecord>;
}

/** A socket that has subscribed and keeps what it hears. */
export async function subscribe(url: string, token: string): Promise<Subscription> {
  const socket = await connect(url, token);
  const events: EventRecord[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);
  socket.on('event:created', (event: EventRecord) => {
    events.push(event);
    arrivals.emit('arrival');
  });
  socket.on('disconnect', () => arrivals.emit('error', new Error('The connection ended')));
  arrivals.on('error', () => {});
  const answer = (await socket.emitWithAck('ui:subscribe', {})) as { ok: boolean; seq: number };
  if (!answer.ok) throw new Error(`Subscribing was refused: ${JSON.stringify(answer)}`);
  return {
    socket,
    seq: answer.seq,
    events,
    first: async (matches) => {
      for (let seen = 0; ; seen++) {
        while (seen >= events.length) await once(arrivals, 'arrival');
        if (matches(events[seen]!)) return events[seen]!;
      }
    },
  };
}
