import { Type } from 'class-transformer';
import type { ManagerStatus, RegistrationStatus } from '@muster/domain/manager-states';
import {
  IsArray,
  IsBoolean,
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

const statuses: readonly ManagerStatus[] = ['offline', 'online'];
const registrationStatuses: readonly RegistrationStatus[] = [
  'unregistered',
  'pending',
  'approved',
  'rejected',
];

export class ManagerQuery extends ListQuery {
  @IsOptional()
  @IsIn(statuses)
  status?: ManagerStatus;

  @IsOptional()
  @IsIn(registrationStatuses)
  registrationStatus?: RegistrationStatus;
}

export class ManagerRecord {
  @IsUUID()
  managerId: string;

  @IsString()
  managerName: string;

  @IsString()
  @Nullable()
  hostAddress: string | null;

  @IsInt()
  @Nullable()
  port: number | null;

  @IsIn(statuses)
  status: ManagerStatus;

  @IsIn(registrationStatuses)
  registrationStatus: RegistrationStatus;

  @IsDateString()
  createdAt: string;

  @IsDateString()
  @Nullable()
  lastSeen: string | null;

  @IsDateString()
  @Nullable()
  approvedAt: string | null;

  /** What it last reported to be running. */
  @IsObject()
  @Nullable()
  currentEngineState: object | null;

  @IsInt()
  maxParallelPerSchedule: number;

  @IsInt()
  totalCores: number;

  /** Cores of its active calculations. */
  @IsInt()
  usedCores: number;

  @IsInt()
  availableCores: number;

  /** To compare with what the agent prints, before approving. */
  @IsString()
  @Nullable()
  fingerprint: string | null;

  @IsString()
  @Nullable()
  agentVersion: string | null;

  @IsBoolean()
  draining: boolean;

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

export class ManagerPage implements Page<ManagerRecord> {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ManagerRecord)
  items: ManagerRecord[];

  @IsString()
  @Nullable()
  nextCursor: string | null;
}
