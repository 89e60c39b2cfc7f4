import { malformed } from '@muster/domain/errors';

/**
 * A cursor is the sort key of the last row of a page (keyset paging): page 1,000 costs what page 1 costs, and
 * rows that come or go meanwhile neither repeat nor hide others. Callers see it as opaque text.
 */
export type CursorKey = readonly (string | number)[];

export function encodeCursor(key: CursorKey): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** `isKey` must let nothing pass that the list's statement could choke on: the text comes from a stranger. */
export function decodeCursor<Key extends CursorKey>(
  cursor: string | undefined,
  isKey: (key: unknown) => key is Key,
): Key | null {
  if (cursor === undefined) return null;
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (isKey(key)) return key;
  } catch {
    // Falls through: not ours.
  }
  throw malformed('BAD_CURSOR', 'This cursor did not come from this list', {
    errors: [{ field: 'cursor', message: 'cursor must be a nextCursor of this list' }],
  });
}
