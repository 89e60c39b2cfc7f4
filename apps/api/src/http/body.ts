import { malformed, unacceptable } from '@muster/domain/errors';
import type { FastifyInstance } from 'fastify';

/** Room for the largest message (1 MB of data) and what is around it. */
export const BODY_LIMIT = 1_200_000;
const MAX_DEPTH = 100;

/** JSON bodies, bounded in depth as well as in size: deep nesting costs those who walk it, and PostgreSQL, dearly. */
export function parseJsonBodies(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeContentTypeParser('application/json');
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string;
    if (text === '') return done(null, undefined);
    if (nestsDeeperThan(text, MAX_DEPTH)) {
      return done(unacceptable('TOO_DEEP', `JSON may be nested ${MAX_DEPTH} levels deep`));
    }
    if (text.includes('\\u0000')) {
      return done(malformed('NUL_CHARACTER', 'Text may not contain the character U+0000'));
    }
    return parse(request, text, done);
  });
}

/** Counts brackets outside of strings; it need not understand the rest. */
export function nestsDeeperThan(json: string, limit: number): boolean {
  // Each level takes two characters.
  if (json.length < limit * 2) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (inString) {
      if (character === BACKSLASH) at++;
      else if (character === QUOTE) inString = false;
    } else if (character === QUOTE) inString = true;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      if (++depth > limit) return true;
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
