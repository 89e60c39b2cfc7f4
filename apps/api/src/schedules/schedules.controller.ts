import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Database } from '@muster/data/database';
import type { Listing } from '@muster/data/lists';
import { SchedulePage, ScheduleQuery, ScheduleRecord } from '@muster/protocol/schedules';
import { Access } from '../auth/access.js';
import { answerPage } from '../http/pages.js';

const listing: Listing = {
  table: 'schedule_calculations',
  columns: [
    'schedule_id',
    'assigned_manager_id',
    'status',
    'created_at',
    'started_at',
    'completed_at',
    'last_heartbeat',
    'stop_deadline_at',
    'calculation_metadata',
    'output_path',
    'error_message',
    'generation',
    'allocated_cores',
    'status_reason',
    'status_metadata',
    'status_actor',
  ],
  order: ['created_at', 'schedule_id'],
};

@ApiTags('Calculations')
@Controller('api/schedules')
export class SchedulesController {
  constructor(private readonly database: Database) {}

  @Get()
  @ApiOperation({ summary: 'List calculations, newest first' })
  @Access.readers()
  @ApiOkResponse({ type: SchedulePage })
  list(@Query() query: ScheduleQuery): Promise<SchedulePage> {
    const { status, managerId: assigned_manager_id, from, to } = query;
    return answerPage<ScheduleRecord>(this.database, listing, query, {
      where: { status, assigned_manager_id },
      from,
      to,
    });
  }
}
