import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Database } from '@muster/data/database';
import type { Listing } from '@muster/data/lists';
import { ManagerPage, ManagerQuery, ManagerRecord } from '@muster/protocol/managers';
import { Access } from '../auth/access.js';
import { answerPage } from '../http/pages.js';

const USED_CORES = `
  (SELECT coalesce(sum(c.allocated_cores), 0)::int FROM schedule_calculations c
   WHERE c.assigned_manager_id = managers.manager_id AND c.status IN ('pending', 'running'))`;

const listing: Listing = {
  table: 'managers',
  columns: [
    'manager_id',
    'manager_name',
    'host_address',
    'port',
    'status',
    'registration_status',
    'created_at',
    'last_seen',
    'approved_at',
    'current_engine_state',
    'max_parallel_per_schedule',
    'total_cores',
    `${USED_CORES} AS used_cores`,
    `total_cores - ${USED_CORES} AS available_cores`,
    'fingerprint',
    'agent_version',
    'draining',
    'status_reason',
    'status_metadata',
    'status_actor',
  ],
  order: ['created_at', 'manager_id'],
};

@ApiTags('Managers')
@Controller('api/managers')
export class ManagersController {
  constructor(private readonly database: Database) {}

  @Get()
  @ApiOperation({ summary: 'List managers, newest first' })
  @Access.readers()
  @ApiOkResponse({ type: ManagerPage })
  list(@Query() query: ManagerQuery): Promise<ManagerPage> {
    const { status, registrationStatus: registration_status } = query;
    return answerPage<ManagerRecord>(this.database, listing, query, {
      where: { status, registration_status },
    });
  }
}
