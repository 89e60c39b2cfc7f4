import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Database } from '@muster/data/database';
import { selectEventsAfter, selectEventsBefore, type EventFilter } from '@muster/data/sql/select-events';
import { EventPage, EventQuery, type EventRecord } from '@muster/protocol/events';
import { Access } from '../auth/access.js';
import { decodeCursor, encodeCursor } from '../http/cursor.js';

@ApiTags('Events')
@Controller('api/events')
export class EventsController {
  constructor(private readonly database: Database) {}

  @Get()
  @ApiOperation({ summary: 'List events, newest first; with afterSeq oldest first, without gaps' })
  @Access.readers()
  @ApiOkResponse({ type: EventPage })
  async list(@Query() query: EventQuery): Promise<EventPage> {
    const cursor = decodeCursor(query.cursor, isSeq);
    const events =
      query.afterSeq === undefined
        ? await selectEventsBefore(this.database, filterOf(query), cursor && cursor[0])
        : await selectEventsAfter(this.database, filterOf(query), cursor ? cursor[0] : query.afterSeq);
    return pageOf(events, query.limit);
  }
}

function filterOf({ limit, from, to, ...query }: EventQuery): EventFilter {
  return {
    where: {
      event_type: query.eventType,
      severity: query.severity,
      actor: query.actor,
      manager_id: query.managerId,
      task_id: query.taskId,
      schedule_id: query.scheduleId,
      job_id: query.jobId,
    },
    from,
    to,
    // One more than asked for tells whether there is a next page.
    limit: limit + 1,
  };
}

function pageOf(events: EventRecord[], limit: number): EventPage {
  const items = events.slice(0, limit);
  const last = events.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last ? encodeCursor([last.seq]) : null };
}

function isSeq(key: unknown): key is [number] {
  return Array.isArray(key) && key.length === 1 && Number.isSafeInteger(key[0]);
}
