/** The database is away, or it did not say whether a statement took effect. */
export class DatabaseUnavailable extends Error {
  constructor(options?: ErrorOptions) {
    super('The database is not available', options);
  }
}

/** More work waits than a bounded queue may hold. */
export class Overloaded extends Error {
  constructor(what: string) {
    super(`Too much is waiting for ${what}`);
  }
}

/** Two transactions got in each other's way; the loser may simply be run again. */
const CONFLICTS = new Set(['40001', '40P01', 'P2034']);

/** Nothing is wrong with the statement: the server is going, gone, full, read-only or did not answer. */
const UNAVAILABLE_STATES = new Set([
  '25006', // read-only
  '57014', // statement time-out
  '57P01',
  '57P02',
  '57P03', // shutting down, crashed, starting up
  '58030', // input or output error
  '55P03', // lock not available in time
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  'P2037',
]);
/** SQLSTATE classes: connection exception, insufficient resources. */
const UNAVAILABLE_CLASSES = ['08', '53'];
/** `pg` knows these only as sentences; Prisma's adapter as kinds. */
const UNAVAILABLE_WORDS =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|connection error and is not queryable|Unable to start a transaction|Transaction already closed|DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections/i;

export function isUnavailable(error: unknown): boolean {
  return chain(error).some(
    (link) =>
      link instanceof DatabaseUnavailable ||
      codesOf(link).some(
        (code) =>
          UNAVAILABLE_STATES.has(code) ||
          (code.length === 5 && UNAVAILABLE_CLASSES.some((prefix) => code.startsWith(prefix))),
      ) ||
      UNAVAILABLE_WORDS.test(wordsOf(link)),
  );
}

/** Nobody gave a connection of the pool back in time; `pg`'s and Prisma's sentences for it. */
export function isWaitForConnection(error: unknown): boolean {
  return chain(error).some((link) =>
    /timeout exceeded when trying to connect|Unable to start a transaction in the given time/.test(
      wordsOf(link),
    ),
  );
}

export function isConflict(error: unknown): boolean {
  return chain(error).some((link) => codesOf(link).some((code) => CONFLICTS.has(code)));
}

/** A unique value is taken (SQLSTATE 23505, Prisma P2002). */
export function isDuplicate(error: unknown): boolean {
  return chain(error).some((link) => codesOf(link).some((code) => code === '23505' || code === 'P2002'));
}

/** The SQLSTATE that PostgreSQL gave, through whatever wraps it. */
export function sqlStateOf(error: unknown): string | undefined {
  return chain(error)
    .flatMap(codesOf)
    .findLast((code) => /^[0-9A-Z]{5}$/.test(code) && !/^P\d{4}$/.test(code));
}

type Link = Record<string, unknown>;

/** An error and everything it wraps: `pg` throws plainly, Prisma's adapter nests the cause in its own. */
function chain(error: unknown): Link[] {
  const links: Link[] = [];
  for (let next = error; typeof next === 'object' && next !== null && links.length < 6;) {
    const link = next as Link;
    links.push(link);
    next = (link.meta as Link | undefined)?.driverAdapterError ?? link.cause;
  }
  return links;
}

function codesOf(link: Link): string[] {
  return [link.code, link.originalCode].filter((code): code is string => typeof code === 'string');
}

function wordsOf(link: Link): string {
  return `${String(link.message ?? '')} ${String(link.kind ?? '')}`;
}
