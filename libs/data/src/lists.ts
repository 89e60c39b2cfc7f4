import { Conditions, type Filter } from './filter.js';
import type { Handle } from './statement.js';

/** A table as people may list it: which columns, in which order, by which filters. */
export interface Listing {
  readonly table: string;
  /** Never a secret. */
  readonly columns: readonly string[];
  /** Newest first by these; the last one is unique, so that the order is total. */
  readonly order: readonly [time: string, id: string];
}

export interface PageRequest extends Filter {
  readonly limit: number;
  /** The key of the last row of the page before. */
  readonly after: readonly [time: string, id: string] | null;
}

export type Row = Record<string, unknown>;

/**
 * One page of a table, newest first, as records in camelCase. Times in the key stay text, because a Date
 * would drop the microseconds and with them the rows that differ only there.
 */
export async function readPage(
  handle: Handle,
  listing: Listing,
  request: PageRequest,
): Promise<{ records: Row[]; lastKey: [string, string] | null }> {
  const [time, id] = listing.order;
  const conditions = new Conditions(request, time);
  if (request.after) {
    const [afterTime, afterId] = request.after.map((part) => conditions.bind(part));
    conditions.add(`(${time}, ${id}) < (${afterTime}::timestamptz, ${afterId}::uuid)`);
  }
  const rows = await handle.query<Row & { list_time: string; list_id: string }>({
    text: `
      SELECT ${listing.columns.join(', ')}, ${time}::text AS list_time, ${id}::text AS list_id
      FROM ${listing.table}
      ${conditions}
      ORDER BY ${time} DESC, ${id} DESC
      LIMIT ${conditions.bind(request.limit + 1)}`,
    values: conditions.values,
  });
  const page = rows.slice(0, request.limit);
  const last = rows.length > request.limit ? page.at(-1) : undefined;
  return {
    records: page.map(({ list_time: _time, list_id: _id, ...row }) => toRecord(row)),
    lastKey: last ? [last.list_time, last.list_id] : null,
  };
}

/** A row as it is answered: camelCase names, everything else as the database gave it. */
export function toRecord(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
