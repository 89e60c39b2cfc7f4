import type { Transaction } from '../transaction.js';

/** Who made which request under which key. Keys belong to an account. */
export interface Claim {
  readonly accountId: string;
  readonly key: string;
  readonly requestHash: Buffer;
}

export interface KeptAnswer {
  readonly requestHash: Buffer;
  readonly statusCode: number;
  readonly body: unknown;
}

/**
 * Claims a key for this transaction. Whoever else claims it meanwhile waits in the index until we commit or
 * roll back, so two requests with one key can never both take effect; if the key was used before, the answer
 * that was kept is returned instead.
 */
export async function claimKey(
  tx: Transaction,
  { accountId, key, requestHash }: Claim,
): Promise<KeptAnswer | null> {
  const claimed = await tx.query({
    text: `
      INSERT INTO idempotency_keys AS k (account_id, key, request_hash, status_code, expires_at)
      VALUES ($1::uuid, $2, $3, 0, now() + interval '24 hours')
      ON CONFLICT (account_id, key) DO UPDATE
        SET request_hash = excluded.request_hash, status_code = 0, body = NULL, created_at = now(), expires_at = excluded.expires_at
        WHERE k.expires_at <= now()
      RETURNING 1 AS claimed`,
    values: [accountId, key, requestHash],
  });
  if (claimed.length > 0) return null;
  const [row] = await tx.query<{ request_hash: Uint8Array; status_code: number; body: unknown }>({
    text: 'SELECT request_hash, status_code, body FROM idempotency_keys WHERE account_id = $1::uuid AND key = $2',
    values: [accountId, key],
  });
  return { requestHash: Buffer.from(row!.request_hash), statusCode: row!.status_code, body: row!.body };
}

export async function keepAnswer(
  tx: Transaction,
  { accountId, key }: Claim,
  statusCode: number,
  body: unknown,
): Promise<void> {
  await tx.query({
    text: 'UPDATE idempotency_keys SET status_code = $3, body = $4::json WHERE account_id = $1::uuid AND key = $2',
    values: [accountId, key, statusCode, body === undefined ? null : JSON.stringify(body)],
  });
}
