import { PgBoss } from 'pg-boss';
import { cpuMicros } from '../support/cpu.js';
import { answer } from '../support/program.js';
import { Stopwatch } from '../support/stopwatch.js';
import { BOSS_QUEUE, BOSS_SCHEMA, type Sending, type Sent } from './pg-boss.js';

// A connection for each caller, and no duty beside sending.
const boss = new PgBoss({
  connectionString: process.env.DATABASE_URL!,
  schema: BOSS_SCHEMA,
  max: Number(process.env.CALLERS),
  supervise: false,
  schedule: false,
});
boss.on('error', (error) => console.error(error));
await boss.start();
await boss.createQueue(BOSS_QUEUE);

async function send({ wish: { name, priority, data }, callers, seconds }: Sending): Promise<Sent> {
  const ids: string[] = [];
  const stopwatch = new Stopwatch();
  const cpuBefore = cpuMicros();
  const end = performance.now() + seconds * 1_000;
  const call = async () => {
    for (let startedAt = performance.now(); startedAt < end;) {
      const id = await boss.send(BOSS_QUEUE, { name, ...data }, { priority });
      const now = performance.now();
      stopwatch.record(now - startedAt);
      startedAt = now;
      if (id !== null) ids.push(id);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return { ids, cpuMicros: cpuMicros() - cpuBefore, ...stopwatch.read() };
}

async function end(): Promise<void> {
  await boss.stop({ graceful: false });
  process.exit(0);
}
process.once('SIGTERM', end).once('SIGINT', end);

answer({ send }, null);
