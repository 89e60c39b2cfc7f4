import type { Role } from '@muster/domain/roles';
import type { Prisma } from '../generated/prisma/client.js';
import { toRecord } from '../lists.js';
import type { Handle } from '../statement.js';
import type { Transaction } from '../transaction.js';

export interface User {
  readonly userId: string;
  readonly username: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly passwordChangedAt: Date | null;
  readonly disabledAt: Date | null;
}

/** With what only the sign-in may see. */
export type UserWithPassword = User & { readonly passwordHash: string | null };

const withoutPassword = {
  userId: true,
  username: true,
  role: true,
  createdAt: true,
  passwordChangedAt: true,
  disabledAt: true,
} satisfies Prisma.UserSelect;

type Reader = Pick<Transaction, 'prisma'>;

/** "Admin" and "admin" are one. Not by Prisma's insensitive `equals`, which is ILIKE: `%` would be everybody. */
export async function findUserForSignIn(handle: Handle, username: string): Promise<UserWithPassword | null> {
  const [row] = await handle.query<Record<string, unknown>>({
    name: 'find_user_for_sign_in',
    text: `
      SELECT user_id, username, role::text, created_at, password_changed_at, disabled_at, password_hash
      FROM users WHERE lower(username) = lower($1)`,
    values: [username],
  });
  return row ? (toRecord(row) as unknown as UserWithPassword) : null;
}

export async function findUser(reader: Reader, userId: string): Promise<User | null> {
  return reader.prisma.user.findUnique({ where: { userId }, select: withoutPassword });
}

export async function createUser(
  tx: Transaction,
  user: { username: string; role: Role; passwordHash: string | null },
): Promise<User> {
  return tx.prisma.user.create({ data: user, select: withoutPassword });
}

/** Null if there is no such user. */
export async function changeUser(
  tx: Transaction,
  userId: string,
  change: { role?: Role; passwordHash?: string; disabled?: boolean },
): Promise<User | null> {
  const { role, passwordHash, disabled } = change;
  const [user] = await tx.query<{ user_id: string }>({
    text: `
      UPDATE users SET
        role = coalesce($2::user_role, role),
        password_hash = coalesce($3, password_hash),
        password_changed_at = CASE WHEN $3 IS NULL THEN password_changed_at ELSE now() END,
        disabled_at = CASE WHEN $4::boolean IS NULL THEN disabled_at WHEN $4 THEN coalesce(disabled_at, now()) END
      WHERE user_id = $1::uuid
      RETURNING user_id::text`,
    values: [userId, role ?? null, passwordHash ?? null, disabled ?? null],
  });
  return user ? findUser(tx, user.user_id) : null;
}

/**
 * Whether somebody could still administer if this user could not. Locks the administrators, so that two
 * requests cannot each leave the other's as the last one.
 */
export async function hasOtherAdmin(tx: Transaction, userId: string): Promise<boolean> {
  const rows = await tx.query<{ user_id: string }>({
    text: `SELECT user_id::text FROM users WHERE role = 'admin' AND disabled_at IS NULL ORDER BY user_id FOR UPDATE`,
  });
  return rows.some((row) => row.user_id !== userId);
}
