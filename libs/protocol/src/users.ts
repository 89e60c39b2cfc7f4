import { Type } from 'class-transformer';
import { roles, type Role } from '@muster/domain/roles';
import {
  IsArray,
  IsBoolean,
  IsDateString,
  IsIn,
  IsString,
  IsUUID,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import type { Page } from './lists.js';
import { Nullable, Optional } from './nullable.js';

/** Long pass phrases are welcome; the upper bound only keeps the hash function from being a weapon. */
const PASSWORD_LENGTH = { min: 8, max: 1024 } as const;

export class CreateUser {
  @Matches(/^[A-Za-z0-9._@-]{1,64}$/, { message: 'username must be 1 to 64 of A-Z a-z 0-9 . _ @ -' })
  username: string;

  @IsString()
  @MinLength(PASSWORD_LENGTH.min)
  @MaxLength(PASSWORD_LENGTH.max)
  password: string;

  @IsIn(roles)
  role: Role;
}

export class ChangeUser {
  @Optional()
  @IsString()
  @MinLength(PASSWORD_LENGTH.min)
  @MaxLength(PASSWORD_LENGTH.max)
  password?: string;

  @Optional()
  @IsIn(roles)
  role?: Role;

  /** A disabled user cannot sign in, and its sessions have ended. */
  @Optional()
  @IsBoolean()
  disabled?: boolean;
}

export class UserRecord {
  @IsUUID()
  id: string;

  @IsString()
  username: string;

  @IsIn(roles)
  role: Role;

  @IsDateString()
  createdAt: string;

  @IsDateString()
  @Nullable()
  passwordChangedAt: string | null;

  @IsDateString()
  @Nullable()
  disabledAt: string | null;
}

export class UserPage implements Page<UserRecord> {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => UserRecord)
  items: UserRecord[];

  @IsString()
  @Nullable()
  nextCursor: string | null;
}
