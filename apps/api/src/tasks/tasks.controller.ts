import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Database } from '@muster/data/database';
import type { Listing } from '@muster/data/lists';
import { TaskPage, TaskQuery, TaskRecord } from '@muster/protocol/tasks';
import { Access } from '../auth/access.js';
import { answerPage } from '../http/pages.js';

const listing: Listing = {
  table: 'tasks',
  columns: [
    'task_id',
    'schedule_id',
    'assigned_manager_id',
    'task_type',
    'status',
    'task_data_path',
    'created_at',
    'assigned_at',
    'accepted_at',
    'completed_at',
    'acceptance_deadline_at',
    'execution_deadline_at',
    'timeout_retry_count',
    'error_message',
    'status_reason',
    'status_metadata',
    'status_actor',
  ],
  order: ['created_at', 'task_id'],
};

@ApiTags('Tasks')
@Controller('api/tasks')
export class TasksController {
  constructor(private readonly database: Database) {}

  @Get()
  @ApiOperation({ summary: 'List tasks, newest first' })
  @Access.readers()
  @ApiOkResponse({ type: TaskPage })
  list(@Query() query: TaskQuery): Promise<TaskPage> {
    const { status, taskType: task_type, managerId: assigned_manager_id, scheduleId: schedule_id } = query;
    const where = { status, task_type, assigned_manager_id, schedule_id };
    return answerPage<TaskRecord>(this.database, listing, query, { where });
  }
}
