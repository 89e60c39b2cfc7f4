import type { Role } from '@muster/domain/roles';
import type { Handle } from '../statement.js';
import type { Transaction } from '../transaction.js';
import type { Prisma } from '../generated/prisma/client.js';

export interface ApiKey {
  readonly apiKeyId: string;
  readonly name: string;
  readonly role: Role;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

const withoutHash = {
  apiKeyId: true,
  name: true,
  role: true,
  createdBy: true,
  createdAt: true,
  expiresAt: true,
  lastUsedAt: true,
  revokedAt: true,
} satisfies Prisma.ApiKeySelect;

export interface LiveApiKey {
  readonly apiKeyId: string;
  readonly name: string;
  readonly role: Role;
  readonly expiresAt: Date | null;
  /** By the database's clock; null for a key that does not expire. */
  readonly remainingMs: number | null;
}

export async function createApiKey(
  tx: Transaction,
  key: {
    name: string;
    role: Role;
    keyHash: Uint8Array<ArrayBuffer>;
    createdBy: string;
    expiresAt: Date | null;
  },
): Promise<ApiKey> {
  return tx.prisma.apiKey.create({ data: key, select: withoutHash });
}

/** Finds a usable key by its hash and notes its use, at most once a minute, in the same round trip. */
export async function useApiKey(handle: Handle, keyHash: Uint8Array): Promise<LiveApiKey | null> {
  const [row] = await handle.query<{
    api_key_id: string;
    name: string;
    role: Role;
    expires_at: Date | null;
    remaining_ms: number | null;
  }>({
    name: 'use_api_key',
    text: `
      WITH found AS (
        SELECT api_key_id, name, role, expires_at, last_used_at FROM api_keys
        WHERE key_hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
      ), noted AS (
        UPDATE api_keys k SET last_used_at = now() FROM found f
        WHERE k.api_key_id = f.api_key_id AND (f.last_used_at IS NULL OR f.last_used_at < now() - interval '1 minute')
      )
      SELECT api_key_id::text, name, role::text, expires_at,
             (extract(epoch FROM expires_at - now()) * 1000)::float8 AS remaining_ms
      FROM found`,
    values: [keyHash],
  });
  return row
    ? {
        apiKeyId: row.api_key_id,
        name: row.name,
        role: row.role,
        expiresAt: row.expires_at,
        remainingMs: row.remaining_ms,
      }
    : null;
}

/** The key's name, or null if there is no such key. Revoking twice changes nothing. */
export async function revokeApiKey(tx: Transaction, apiKeyId: string): Promise<string | null> {
  const [row] = await tx.query<{ name: string }>({
    text: 'UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE api_key_id = $1::uuid RETURNING name',
    values: [apiKeyId],
  });
  return row?.name ?? null;
}
