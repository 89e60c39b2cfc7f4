import { randomBytes } from 'node:crypto';
import { Database } from '@muster/data/database';
import { createApiKey } from '@muster/data/repositories/api-keys.repository';
import { API_KEY_PREFIX, hashApiKey } from '../../../apps/api/src/auth/credentials.js';

/** A key like any other: the frame finds it in its table. */
export async function issueApiKey(url: string): Promise<string> {
  const key = API_KEY_PREFIX + randomBytes(32).toString('base64url');
  const database = new Database({ url, name: 'muster-bench' });
  try {
    await database.transaction((tx) =>
      createApiKey(tx, {
        name: 'bench',
        role: 'client',
        keyHash: hashApiKey(key),
        createdBy: 'system:bench',
        expiresAt: null,
      }),
    );
  } finally {
    await database.close();
  }
  return key;
}
