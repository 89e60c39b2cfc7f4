import { Type } from 'class-transformer';
import type { CalculationStatus } from '@muster/domain/calculation-states';
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
import { JSONSchema } from 'class-validator-jsonschema';
import { ListQuery, type Page } from './lists.js';
import { Nullable } from './nullable.js';
import { IsTime } from './time.js';

const statuses: readonly CalculationStatus[] = ['pending', 'running', 'completed', 'failed', 'stopped'];

export class ScheduleQuery extends ListQuery {
  @IsOptional()
  @IsIn(statuses)
  status?: CalculationStatus;

  @IsOptional()
  @IsUUID('loose')
  managerId?: string;

  @IsOptional()
  @IsTime()
  @JSONSchema({ description: 'Created at or after.' })
  from?: string;

  @IsOptional()
  @IsTime()
  @JSONSchema({ description: 'Created before.' })
  to?: string;
}

export class ScheduleRecord {
  @IsUUID()
  scheduleId: string;

  @IsUUID()
  @Nullable()
  assignedManagerId: string | null;

  @IsIn(statuses)
  status: CalculationStatus;

  @IsDateString()
  createdAt: string;

  @IsDateString()
  @Nullable()
  startedAt: string | null;

  @IsDateString()
  @Nullable()
  completedAt: string | null;

  @IsDateString()
  @Nullable()
  lastHeartbeat: string | null;

  @IsDateString()
  @Nullable()
  stopDeadlineAt: string | null;

  @IsObject()
  @Nullable()
  calculationMetadata: object | null;

  @IsString()
  @Nullable()
  outputPath: string | null;

  @IsString()
  @Nullable()
  errorMessage: string | null;

  /** Grows with each run. */
  @IsInt()
  generation: number;

  @IsInt()
  @Nullable()
  allocatedCores: number | null;

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

export class SchedulePage implements Page<ScheduleRecord> {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ScheduleRecord)
  items: ScheduleRecord[];

  @IsString()
  @Nullable()
  nextCursor: string | null;
}
