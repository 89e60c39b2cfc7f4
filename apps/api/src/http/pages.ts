import { isUUID } from 'class-validator';
import { readPage, type Listing, type PageRequest } from '@muster/data/lists';
import type { Handle } from '@muster/data/statement';
import type { ListQuery, Page } from '@muster/protocol/lists';
import { decodeCursor, encodeCursor } from './cursor.js';

type Filter = Pick<PageRequest, 'where' | 'from' | 'to'>;

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

/** What PostgreSQL prints for a timestamptz, and a UUID. */
function isTimeAndId(key: unknown): key is [string, string] {
  return (
    Array.isArray(key) &&
    key.length === 2 &&
    /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?[+-]\d\d(:\d\d)?$/.test(String(key[0])) &&
    isUUID(key[1])
  );
}
