import { Type } from 'class-transformer';
import type { TaskStatus } from '@muster/domain/task-states';
import {
  IsArray,
  IsDateString,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  ValidateNested,
} from 'class-validator';
import { ListQuery, type Page } from './lists.js';
import { Nullable } from './nullable.js';

const statuses: readonly TaskStatus[] = ['queued', 'pending', 'accepted', 'completed', 'failed', 'obsolete'];
const types = ['start_calculation', 'stop_calculation'] as const;
type TaskType = (typeof types)[number];

export class TaskQuery extends ListQuery {
  @IsOptional()
  @IsIn(statuses)
  status?: TaskStatus;

  @IsOptional()
  @IsIn(types)
  taskType?: TaskType;

  @IsOptional()
  @IsUUID('loose')
  managerId?: string;

  @IsOptional()
  @IsUUID('loose')
  scheduleId?: string;
}

export class TaskRecord {
  @IsUUID()
  taskId: string;

  @IsUUID()
  scheduleId: string;

  @IsUUID()
  @Nullable()
  assignedManagerId: string | null;

  @IsIn(types)
  taskType: TaskType;

  @IsIn(statuses)
  status: TaskStatus;

  @IsString()
  @Nullable()
  taskDataPath: string | null;

  @IsDateString()
  createdAt: string;

  @IsDateString()
  @Nullable()
  assignedAt: string | null;

  @IsDateString()
  @Nullable()
  acceptedAt: string | null;

  @IsDateString()
  @Nullable()
  completedAt: string | null;

  @IsDateString()
  @Nullable()
  acceptanceDeadlineAt: string | null;

  @IsDateString()
  @Nullable()
  executionDeadlineAt: string | null;

  @IsInt()
  timeoutRetryCount: number;

  @IsString()
  @Nullable()
  errorMessage: string | null;

  @IsString()
  @Nullable()
  statusReason: string | null;

  @IsObject()
  @Nullable()
  statusMetadata: object | null;

  @IsString()
  @Nullable()
  statusActor: string | null;
}

export class TaskPage implements Page<TaskRecord> {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => TaskRecord)
  items: TaskRecord[];

  @IsString()
  @Nullable()
  nextCursor: string | null;
}
