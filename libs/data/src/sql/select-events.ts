import type { EventRecord } from '@muster/protocol/events';
import { Conditions, type Filter } from '../filter.js';
import { toRecord } from '../lists.js';
import type { Handle } from '../statement.js';

export interface EventFilter extends Filter {
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
  filter: EventFilter,
  bound: ['<' | '>', number] | undefined,
  direction: 'ASC' | 'DESC',
): Promise<EventRecord[]> {
  const conditions = new Conditions(filter, '"timestamp"');
  if (bound) conditions.add(`seq ${bound[0]} ${conditions.bind(bound[1])}`);
  const rows = await handle.query<Record<string, unknown>>({
    text: `
      SELECT ${COLUMNS} FROM system_events
      ${conditions}
      ORDER BY seq ${direction} LIMIT ${conditions.bind(filter.limit)}`,
    values: conditions.values,
  });
  return rows.map((row) => ({ ...toRecord(row), seq: Number(row.seq) }) as EventRecord);
}
