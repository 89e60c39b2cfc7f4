import { isUUID } from 'class-validator';
import type { Filter } from '@muster/data/filter';
import { readPage, type Listing } from '@muster/data/lists';
import type { Handle } from '@muster/data/statement';
import type { ListQuery, Page } from '@muster/protocol/lists';
import { isTime } from '@muster/protocol/time';
import { decodeCursor, encodeCursor } from './cursor.js';

/** One page of a listing, newest first, as `{ items, nextCursor }`. */
export async function answerPage<Item>(
  handle: Handle,
  listing: Listing,
  query: ListQuery,
  { where, from, to }: Filter = { where: {} },
): Promise<Page<Item>> {
  const after = decodeCursor(query.cursor, isTimeAndId);
  const { records, lastKey } = await readPage(handle, listing, {
    where,
    from,
    to,
    limit: query.limit,
    after,
  });
  return { items: records as Item[], nextCursor: lastKey ? encodeCursor(lastKey) : null };
}

/** What PostgreSQL prints for a timestamptz in UTC, and a UUID. */
function isTimeAndId(key: unknown): key is [string, string] {
  return Array.isArray(key) && key.length === 2 && isPrintedTime(key[0]) && isUUID(key[1], 'loose');
}

function isPrintedTime(text: unknown): boolean {
  const match = typeof text === 'string' && /^(\S+) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)\+00$/.exec(text);
  return match !== false && match !== null && isTime(`${match[1]}T${match[2]}Z`);
}
