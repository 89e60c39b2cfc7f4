import { malformed, unacceptable } from '@muster/domain/errors';
import type { FastifyInstance } from 'fastify';
import { refuseUnstorableText } from './storable-text.js';

/** Room for the largest message (1 MB of data) and what is around it. */
export const BODY_LIMIT = 1_200_000;
export const MAX_DEPTH = 100;

/** Only these escapes can spell what text must not hold; the characters themselves do not survive UTF-8. */
const SUSPICIOUS = /\\u(0000|d[89a-f])/i;

/** JSON bodies, bounded in depth as well as in size: deep nesting costs those who walk it, and PostgreSQL, dearly. */
export function parseJsonBodies(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  // Fastify would take plain text too, which no call here does.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string;
    if (text === '') return done(null, undefined);
    if (nestsDeeperThan(text, MAX_DEPTH)) {
      return done(unacceptable('TOO_DEEP', `JSON may be nested ${MAX_DEPTH} levels deep`));
    }
    return parse(request, text, (error, value) => {
      if (error) return done(malformed('BAD_JSON', 'The body is not JSON that can be taken'));
      try {
        if (SUSPICIOUS.test(text)) refuseUnstorable(value);
      } catch (refusal) {
        return done(refusal as Error);
      }
      return done(null, value);
    });
  });
}

/** Its depth is known to be bounded. */
function refuseUnstorable(value: unknown): void {
  if (typeof value === 'string') refuseUnstorableText(value);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      refuseUnstorableText(key);
      refuseUnstorable(part);
    }
  }
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
