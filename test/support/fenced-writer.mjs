import { setTimeout as delay } from 'node:timers/promises';
import { Database } from '../../dist/libs/data/src/database.js';
import { Leadership, LeadershipLost } from '../../dist/libs/data/src/leadership.js';

/**
 * A process whose duty is to write: as long as it believes that it leads, it adds its term to the table
 * `duty_log`, behind the fence. It says on its output what becomes of it.
 */
const say = (what, details = {}) => process.stdout.write(`${JSON.stringify({ what, ...details })}\n`);
const log = { info: () => {}, warn: () => {}, error: () => {} };
const database = new Database({ url: process.env.DATABASE_URL, name: 'writer' });
const leadership = new Leadership({ database, duty: 'writing', log, leaseMs: 800, renewEveryMs: 100 });
leadership.onAcquired(({ term, gapMs }) => say('acquired', { term: Number(term), gapMs }));
leadership.onLost(() => say('lost'));
leadership.start();

for (;;) {
  await delay(20);
  if (!leadership.isLeader) continue;
  try {
    await leadership.fenced(async (tx, term) => {
      await tx.query({
        text: 'INSERT INTO duty_log (term) VALUES ($1::text::bigint)',
        values: [String(term)],
      });
      tx.afterCommit(() => say('wrote', { term: Number(term) }));
    });
  } catch (error) {
    say('refused', { by: error instanceof LeadershipLost ? 'the fence' : 'the database' });
  }
}
