import type { EventType, Severity } from '@muster/domain/events';
import type { Handle } from '../statement.js';

export interface NewEvent {
  readonly eventType: EventType;
  readonly severity?: Severity;
  readonly description: string;
  /** Who or what did it: `user:admin`, `api-key:deploy`, `manager:node-7`, `system:…`. */
  readonly actor: string;
  readonly eventData?: unknown;
  readonly managerId?: string;
  readonly taskId?: string;
  readonly scheduleId?: string;
  readonly jobId?: string;
}

/**
 * Appends events, many in one statement. They should come last in their transaction: the order of `seq` is
 * the order of commits, which writers pay for with a lock from here to their commit.
 */
export async function insertEvents(handle: Handle, events: readonly NewEvent[]): Promise<void> {
  await handle.query({
    name: 'insert_events',
    text: `
      INSERT INTO system_events (event_type, severity, description, actor, event_data, manager_id, task_id, schedule_id, job_id)
      SELECT event_type::event_type, severity::event_severity, description, actor, event_data::jsonb,
             manager_id::uuid, task_id::uuid, schedule_id::uuid, job_id::uuid
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
        WITH ORDINALITY AS e(event_type, severity, description, actor, event_data, manager_id, task_id, schedule_id, job_id, position)
      ORDER BY position`,
    values: [
      events.map((event) => event.eventType),
      events.map((event) => event.severity ?? 'info'),
      events.map((event) => event.description),
      events.map((event) => event.actor),
      events.map((event) => (event.eventData === undefined ? null : JSON.stringify(event.eventData))),
      events.map((event) => event.managerId ?? null),
      events.map((event) => event.taskId ?? null),
      events.map((event) => event.scheduleId ?? null),
      events.map((event) => event.jobId ?? null),
    ],
  });
}
