import { malformed, unacceptable } from '@muster/domain/errors';
import { MAX_DEPTH } from '../http/body.js';
import { refuseUnstorableText } from '../http/storable-text.js';

/**
 * What bodies of requests are checked for before they are parsed, for messages that Socket.IO has parsed
 * already: nothing too deep to walk, nothing that is not JSON, nothing that PostgreSQL or a prototype minds.
 * Level by level rather than by recursion, since the sender decides how deep it goes.
 */
export function refuseUnlessPlainJson(message: object): void {
  let level: object[] = [message];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw unacceptable('TOO_DEEP', `JSON may be nested ${MAX_DEPTH} levels deep`);
    const next: object[] = [];
    for (const container of level) {
      if (ArrayBuffer.isView(container) || container instanceof ArrayBuffer) {
        throw malformed('NOT_JSON', 'Messages are JSON, without attachments');
      }
      if (!Array.isArray(container)) refuseKeys(container);
      for (const value of Object.values(container)) {
        if (typeof value === 'string') refuseUnstorableText(value);
        else if (typeof value === 'object' && value !== null) next.push(value as object);
      }
    }
    level = next;
  }
}

/** The same names that Fastify's parser refuses. */
function refuseKeys(container: object): void {
  for (const [key, value] of Object.entries(container)) {
    const poisons =
      key === '__proto__' || (key === 'constructor' && Object.hasOwn(Object(value) as object, 'prototype'));
    if (poisons) throw malformed('BAD_KEY', `A field may not be called ${key}`);
    refuseUnstorableText(key);
  }
}
