import { SetMetadata, type Type, type ValidationPipe } from '@nestjs/common';
import { strictValidation } from '../http/validation.js';
import type { ClientSocket } from './client-socket.js';

export const CLIENT_EVENT = 'muster:client-event';

export interface ClientEventDeclaration {
  readonly name: string;
  /** The class that says what the event carries; null: it carries nothing. */
  readonly message: Type<object> | null;
  readonly validation: ValidationPipe;
}

/** What a handler returns becomes the fields of the acknowledgement, beside `ok: true`. */
type Answer = object | void;
type Handler<Arguments extends unknown[]> = (...given: Arguments) => Answer | Promise<Answer>;
type On<Arguments extends unknown[]> = <Method extends Handler<Arguments>>(
  target: object,
  key: string,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Makes a method of any provider or controller the handler of an event that clients send. It is called with the
 * socket and the validated message; what it returns, or throws, is acknowledged. `@Access` beside it says who
 * may send the event, and without that nobody may.
 *
 *     @ClientEvent('room:join', JoinRoom)
 *     @Access.signedIn()
 *     async join(socket: ClientSocket, { roomId }: JoinRoom) { … }
 */
export function ClientEvent(name: string, message: null): On<[socket: ClientSocket]>;
export function ClientEvent<Message extends object>(
  name: string,
  message: Type<Message>,
  validation?: ValidationPipe,
): On<[socket: ClientSocket, message: Message]>;
export function ClientEvent(name: string, message: Type<object> | null, validation = strictValidation()) {
  return SetMetadata(CLIENT_EVENT, { name, message, validation } satisfies ClientEventDeclaration);
}
