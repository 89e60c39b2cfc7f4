/**
 * What can be wrong with a request, in the words of the domain. Transports translate: HTTP makes a status of
 * the kind, sockets an acknowledgement with the code.
 */
export type FaultKind =
  'malformed' | 'unauthenticated' | 'forbidden' | 'missing' | 'conflict' | 'unacceptable' | 'throttled';

export interface FaultDetails {
  /** For conflicts: the state that the request collided with. */
  readonly current?: Readonly<Record<string, unknown>>;
  readonly errors?: ReadonlyArray<{ readonly field: string; readonly message: string }>;
  readonly retryAfterSeconds?: number;
}

export class Fault extends Error {
  constructor(
    readonly kind: FaultKind,
    /** Stable and UPPER_SNAKE: programs depend on it. */
    readonly code: string,
    message: string,
    readonly details: FaultDetails = {},
  ) {
    super(message);
  }
}

export const malformed = (code: string, message: string, details?: FaultDetails) =>
  new Fault('malformed', code, message, details);
export const unauthenticated = (message = 'Sign in first') =>
  new Fault('unauthenticated', 'UNAUTHORIZED', message);
export const forbidden = (code: string, message: string) => new Fault('forbidden', code, message);
export const missing = (what: string) => new Fault('missing', 'NOT_FOUND', `There is no such ${what}`);
export const conflict = (code: string, message: string, current?: Record<string, unknown>) =>
  new Fault('conflict', code, message, { current });
export const unacceptable = (code: string, message: string, details?: FaultDetails) =>
  new Fault('unacceptable', code, message, details);
export const throttled = (code: string, message: string, retryAfterSeconds: number) =>
  new Fault('throttled', code, message, { retryAfterSeconds });
