import type { EventRecord } from '@muster/protocol/events';
import { toRecord } from '../lists.js';
import type { Handle } from '../statement.js';

export interface EventFilter {
  /** Column = value; what is undefined does not filter. */
  readonly where: Readonly<Record<string, string | undefined>>;
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
}

const COLUMNS =
  'event_id, seq, event_type, severity, description, actor, event_data, manager_id, task_id, schedule_id, job_id, "timestamp"';

/** Newest first, below a sequence number. */
export function selectEventsBefore(
  handle: Handle,
  filter: EventFilter,
  seq: number | null,
): Promise<EventRecord[]> {
  return select(handle, filter, seq === null ? undefined : ['<', seq], 'DESC');
}

/** Oldest first, above a sequence number; since `seq` is commit order, nothing below can appear later. */
export function selectEventsAfter(handle: Handle, filter: EventFilter, seq: number): Promise<EventRecord[]> {
  return select(handle, filter, ['>', seq], 'ASC');
}

async function select(
  handle: Handle,
  { where, from, to, limit }: EventFilter,
  bound: ['<' | '>', number] | undefined,
  direction: 'ASC' | 'DESC',
): Promise<EventRecord[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const conditions = Object.entries(where)
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => `${column} = ${bind(value)}`);
  if (from !== undefined) conditions.push(`"timestamp" >= ${bind(from)}::timestamptz`);
  if (to !== undefined) conditions.push(`"timestamp" < ${bind(to)}::timestamptz`);
  if (bound) conditions.push(`seq ${bound[0]} ${bind(bound[1])}`);
  const rows = await handle.query<Record<string, unknown>>({
    text: `
      SELECT ${COLUMNS} FROM system_events
      ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
      ORDER BY seq ${direction} LIMIT ${bind(limit)}`,
    values,
  });
  return rows.map((row) => ({ ...toRecord(row), seq: Number(row.seq) }) as EventRecord);
}
