import { argon2, createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Overloaded } from '@muster/data/errors';

/** OWASP's first recommendation for argon2id; a stored hash carries its own parameters. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_LENGTH = 32;
/** Each costs 19 MB and a core for a while: a few at a time, a few more in line, the rest is told to come back. */
const AT_ONCE = 2;
const IN_LINE = 64;

const derive = promisify(argon2);

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await inTurn(() => deriveTag(password, salt, PARAMETERS));
  const { memory, passes, parallelism } = PARAMETERS;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

/** A user that does not exist costs the same time as a wrong password: names cannot be found out that way. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const { parameters, salt, tag } = parse(stored ?? NOBODY);
  const given = await inTurn(() => deriveTag(password, salt, parameters));
  return timingSafeEqual(given, tag) && stored !== null;
}

/** As slow to guess from as a stored password, but the same for the same text and salt. */
export async function stretch(text: string, salt: string): Promise<Buffer> {
  const nonce = createHash('sha256').update(salt).digest();
  return inTurn(() => deriveTag(text, nonce, PARAMETERS));
}

const NOBODY = `$argon2id$v=19$m=${PARAMETERS.memory},t=${PARAMETERS.passes},p=${PARAMETERS.parallelism}$${base64(
  randomBytes(16),
)}$${base64(randomBytes(TAG_LENGTH))}`;

async function deriveTag(password: string, nonce: Buffer, parameters: typeof PARAMETERS): Promise<Buffer> {
  return derive('argon2id', { message: password, nonce, tagLength: TAG_LENGTH, ...parameters });
}

function parse(stored: string): { parameters: typeof PARAMETERS; salt: Buffer; tag: Buffer } {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored);
  if (!match) throw new Error('A stored password hash is not argon2id');
  const [, memory, passes, parallelism, salt, tag] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

let running = 0;
const waiting: Array<() => void> = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= IN_LINE) throw new Overloaded('sign-ins');
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  running++;
  try {
    return await work();
  } finally {
    running--;
    waiting.shift()?.();
  }
}
