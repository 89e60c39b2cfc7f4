import { Injectable } from '@nestjs/common';
import { endSessionsOfUser } from '@muster/data/repositories/sessions.repository';
import {
  changeUser,
  createUser,
  findUser,
  hasOtherAdmin,
  type User,
} from '@muster/data/repositories/users.repository';
import { isDuplicate } from '@muster/data/errors';
import type { Transaction } from '@muster/data/transaction';
import { conflict, missing } from '@muster/domain/errors';
import type { ChangeUser, CreateUser, UserRecord } from '@muster/protocol/users';
import { actorOf, type Caller } from '../auth/caller.js';

/** Passwords arrive hashed: hashing takes long, and a transaction must not wait for it. */
type Hashed<T> = Omit<T, 'password'> & { readonly passwordHash?: string };

@Injectable()
export class UsersService {
  async create(tx: Transaction, request: Hashed<CreateUser>, caller: Caller): Promise<UserRecord> {
    const { username, role, passwordHash = null } = request;
    const user = await createUser(tx, { username, role, passwordHash }).catch((error: unknown) => {
      throw isDuplicate(error)
        ? conflict('USERNAME_TAKEN', `The name ${username} is taken`, { username })
        : error;
    });
    tx.record({
      eventType: 'admin_action',
      actor: actorOf(caller),
      description: `User ${username} was created with the role ${role}`,
      eventData: { userId: user.userId, username, role },
    });
    return toRecord(user);
  }

  /** A new role, password or exclusion ends the user's sessions: what they were granted no longer holds. */
  async change(
    tx: Transaction,
    userId: string,
    request: Hashed<ChangeUser>,
    caller: Caller,
  ): Promise<UserRecord> {
    const before = await findUser(tx, userId);
    if (!before) throw missing('user');
    if (losesAdmin(before, request) && !(await hasOtherAdmin(tx, userId))) {
      throw conflict('LAST_ADMIN', 'Somebody has to remain who can administer', { role: before.role });
    }
    const user = await changeUser(tx, userId, request);
    if (!user) throw missing('user');
    if (devaluesSessions(before, request)) await endSessionsOfUser(tx, userId);
    tx.record({
      eventType: 'admin_action',
      actor: actorOf(caller),
      description: `User ${user.username} was changed`,
      eventData: {
        userId,
        role: request.role,
        disabled: request.disabled,
        passwordChanged: request.passwordHash !== undefined,
      },
    });
    return toRecord(user);
  }
}

function devaluesSessions(user: User, { role, disabled, passwordHash }: Hashed<ChangeUser>): boolean {
  return passwordHash !== undefined || disabled === true || (role !== undefined && role !== user.role);
}

function losesAdmin(user: User, request: Hashed<ChangeUser>): boolean {
  const isAdmin = user.role === 'admin' && user.disabledAt === null;
  return isAdmin && (request.disabled === true || (request.role !== undefined && request.role !== 'admin'));
}

function toRecord(user: User): UserRecord {
  return {
    id: user.userId,
    username: user.username,
    role: user.role,
    createdAt: user.createdAt.toISOString(),
    passwordChangedAt: user.passwordChangedAt?.toISOString() ?? null,
    disabledAt: user.disabledAt?.toISOString() ?? null,
  };
}
