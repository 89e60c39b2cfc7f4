import { malformed } from '@muster/domain/errors';

/** JSON can spell two things that no text in PostgreSQL can hold: U+0000, and half of a surrogate pair. */
export function refuseUnstorableText(text: string): void {
  if (text.includes('\u0000')) {
    throw malformed('NUL_CHARACTER', 'Text may not contain the character U+0000');
  }
  if (!text.isWellFormed()) {
    throw malformed('LONE_SURROGATE', 'Text may not contain half of a surrogate pair');
  }
}
