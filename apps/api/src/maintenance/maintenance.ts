import { cleanExpired } from '@muster/data/queue/clean-expired';
import type { Runtime } from '../runtime.js';

/**
 * The background duties of a process. What must run once in the whole installation runs under leadership; what
 * pg-boss wakes may run anywhere, since its handlers only do what the rows say is due.
 */
export async function startMaintenance({ queue, leadership, database }: Runtime): Promise<void> {
  await queue.work('clean-expired', (_payload, signal) => cleanExpired(database, signal));
  // Not waited for: pg-boss takes only its own schema's version, and during an upgrade that may be a newer one.
  // Its wake-ups are missed then, but nothing depends on them.
  void queue.start();
  leadership.start();
}
