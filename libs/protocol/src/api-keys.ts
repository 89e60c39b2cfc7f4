import { Type } from 'class-transformer';
import { roles, type Role } from '@muster/domain/roles';
import {
  IsArray,
  IsDateString,
  IsIn,
  IsNotEmpty,
  IsString,
  IsUUID,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import type { Page } from './lists.js';
import { Nullable, OptionalOrNull } from './nullable.js';
import { IsTime } from './time.js';

export class CreateApiKey {
  @IsString()
  @IsNotEmpty()
  @MaxLength(64)
  name: string;

  @IsIn(roles)
  role: Role;

  /** Left out, or null: it does not expire. */
  @OptionalOrNull()
  @IsTime()
  expiresAt?: string | null;
}

export class ApiKeyRecord {
  @IsUUID()
  id: string;

  @IsString()
  name: string;

  @IsIn(roles)
  role: Role;

  @IsString()
  createdBy: string;

  @IsDateString()
  createdAt: string;

  @IsDateString()
  @Nullable()
  expiresAt: string | null;

  @IsDateString()
  @Nullable()
  lastUsedAt: string | null;

  @IsDateString()
  @Nullable()
  revokedAt: string | null;
}

export class CreatedApiKey extends ApiKeyRecord {
  /** Shown this once. */
  @IsString()
  key: string;
}

export class ApiKeyPage implements Page<ApiKeyRecord> {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ApiKeyRecord)
  items: ApiKeyRecord[];

  @IsString()
  @Nullable()
  nextCursor: string | null;
}
