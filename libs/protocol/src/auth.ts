import { Type } from 'class-transformer';
import { roles, type Role } from '@muster/domain/roles';
import {
  IsDateString,
  IsIn,
  IsNotEmpty,
  IsString,
  IsUUID,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { Nullable } from './nullable.js';

export class LoginRequest {
  @IsString()
  @IsNotEmpty()
  @MaxLength(64)
  username: string;

  @IsString()
  @IsNotEmpty()
  @MaxLength(1024)
  password: string;
}

export class GuestRequest {
  /** Whatever people call themselves, as long as it can be seen. */
  @Matches(/^(?! )[^\p{C}]{1,64}(?<! )$/u, {
    message: 'username must be 1 to 64 characters that can be seen, without spaces around them',
  })
  username: string;
}

export class Account {
  @IsUUID()
  id: string;

  @IsString()
  username: string;

  @IsIn(roles)
  role: Role;
}

export class SignedIn {
  /** Goes into `Authorization: Bearer …`. */
  @IsString()
  accessToken: string;

  @IsDateString()
  expiresAt: string;

  @ValidateNested()
  @Type(() => Account)
  user: Account;
}

export class Me {
  @ValidateNested()
  @Type(() => Account)
  user: Account;

  /** When this credential ends by itself; null for one that does not. */
  @IsDateString()
  @Nullable()
  expiresAt: string | null;
}
