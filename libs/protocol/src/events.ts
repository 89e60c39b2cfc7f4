import { Type } from 'class-transformer';
import { eventTypes, severities, type EventType, type Severity } from '@muster/domain/events';
import {
  IsArray,
  IsDateString,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { ListQuery, type Page } from './lists.js';
import { Nullable } from './nullable.js';
import { IsTime } from './time.js';

export class EventQuery extends ListQuery {
  @IsOptional()
  @IsIn(eventTypes)
  eventType?: EventType;

  @IsOptional()
  @IsIn(severities)
  severity?: Severity;

  @IsOptional()
  @IsString()
  @MaxLength(200)
  actor?: string;

  @IsOptional()
  @IsUUID('loose')
  managerId?: string;

  @IsOptional()
  @IsUUID('loose')
  taskId?: string;

  @IsOptional()
  @IsUUID('loose')
  scheduleId?: string;

  @IsOptional()
  @IsUUID('loose')
  jobId?: string;

  @IsOptional()
  @IsTime()
  @JSONSchema({ description: 'At or after.' })
  from?: string;

  @IsOptional()
  @IsTime()
  @JSONSchema({ description: 'Before.' })
  to?: string;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  @JSONSchema({
    description:
      'What came after this sequence number, oldest first, without gaps: for live views that catch up.',
  })
  afterSeq?: number;
}

export class EventRecord {
  @IsUUID()
  eventId: string;

  /** Commit order. */
  @IsInt()
  seq: number;

  @IsIn(eventTypes)
  eventType: EventType;

  @IsIn(severities)
  severity: Severity;

  @IsString()
  description: string;

  /** Who or what did it. */
  @IsString()
  actor: string;

  @IsObject()
  @Nullable()
  eventData: object | null;

  @IsUUID()
  @Nullable()
  managerId: string | null;

  @IsUUID()
  @Nullable()
  taskId: string | null;

  @IsUUID()
  @Nullable()
  scheduleId: string | null;

  @IsUUID()
  @Nullable()
  jobId: string | null;

  @IsDateString()
  timestamp: string;
}

export class EventPage implements Page<EventRecord> {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => EventRecord)
  items: EventRecord[];

  @IsString()
  @Nullable()
  nextCursor: string | null;
}
