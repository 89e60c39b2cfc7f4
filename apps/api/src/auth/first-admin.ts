import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Database } from '@muster/data/database';
import { createUser } from '@muster/data/repositories/users.repository';
import type { Logger } from 'pino';
import type { Settings } from '../settings.js';
import { hashPassword } from './passwords.js';

/**
 * Makes the first administrator when there is none yet. Any number of processes may try: the table is locked
 * while one looks and makes, and only that one writes the password down.
 */
export async function ensureFirstAdmin(database: Database, settings: Settings, log: Logger): Promise<void> {
  const [found] = await database.query({ text: `SELECT 1 FROM users WHERE role = 'admin' LIMIT 1` });
  if (found) return;
  const username = settings.MUSTER_ADMIN_USER;
  const password = settings.MUSTER_ADMIN_PASSWORD ?? randomBytes(18).toString('base64url');
  const passwordHash = await hashPassword(password);
  const made = await database.transaction(async (tx) => {
    await tx.query({ text: `SELECT pg_advisory_xact_lock(hashtextextended('muster.first-admin', 0))::text` });
    const admins = await tx.query({ text: `SELECT 1 FROM users WHERE role = 'admin' LIMIT 1` });
    if (admins.length > 0) return false;
    await createUser(tx, { username, role: 'admin', passwordHash });
    // Written before the commit: an administrator whose password nobody knows could never be made again.
    if (settings.MUSTER_ADMIN_PASSWORD === null) await keepPassword(settings.MUSTER_DATA_DIR, password);
    tx.record({
      eventType: 'admin_action',
      actor: 'system:start',
      description: `The first administrator, ${username}, was made`,
    });
    return true;
  });
  if (!made) return;
  log.info({ username }, 'the first administrator was made');
  // Under `npm start` our output is a log file, and whoever started us shows the password instead.
  if (settings.MUSTER_ADMIN_PASSWORD === null && !process.connected) {
    process.stderr.write(`Sign in as ${username} with the password ${password}\n`);
  }
}

async function keepPassword(folder: string, password: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, 'admin-password');
  await writeFile(file, `${password}\n`, { mode: 0o600 });
}
