import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { getRollbackPlans, PgBoss } from 'pg-boss';
import { createEmptyDatabase } from '../../../../test/support/database.js';
import { applicationConnection } from '../connection.js';
import { installQueue } from './install.js';
import { QUEUES, QUEUE_NAMES } from './queues.js';

// The roles are the whole server's, so an empty database has them too: the template was migrated before.
let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let owner: pg.Client;

beforeAll(async () => {
  database = await createEmptyDatabase();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await installQueue(database.url);
});
afterAll(async () => {
  await owner?.end();
  await database?.drop();
});

async function withBoss<T>(work: (boss: PgBoss) => Promise<T>): Promise<T> {
  const boss = new PgBoss({
    ...applicationConnection(database.url, 'install-spec'),
    migrate: false,
    createSchema: false,
    schedule: false,
    reindex: false,
  });
  const errors: unknown[] = [];
  boss.on('error', (error) => errors.push(error));
  await boss.start();
  const result = await work(boss);
  await boss.stop({ graceful: false });
  expect(errors).toEqual([]);
  return result;
}

describe('installQueue', () => {
  it('makes the schema, the queues and their schedules', async () => {
    await withBoss(async (boss) => {
      expect((await boss.detectSchemaDrift()).ok).toBe(true);
      for (const name of QUEUE_NAMES) {
        expect(await boss.getQueue(name)).toMatchObject(QUEUES[name].options);
        expect((await boss.getSchedule(name))?.cron).toBe(QUEUES[name].cron);
      }
    });
  });

  it('leaves everything as it is when repeated', async () => {
    const fingerprint = async () =>
      (
        await owner.query(`
          SELECT (SELECT array_agg(xmin::text || relacl::text ORDER BY oid) FROM pg_class WHERE relnamespace = 'pgboss'::regnamespace),
                 (SELECT array_agg(queue::text || queue.xmin::text) FROM pgboss.queue),
                 (SELECT array_agg(schedule::text || schedule.xmin::text) FROM pgboss.schedule)`)
      ).rows;
    const before = await fingerprint();
    await installQueue(database.url);
    expect(await fingerprint()).toEqual(before);
  });

  it('brings back what is missing or changed', async () => {
    await owner.query(`
      REVOKE ALL ON pgboss.queue FROM muster_app;
      UPDATE pgboss.queue SET notify = false, retry_limit = 9;
      UPDATE pgboss.schedule SET cron = '0 0 * * *'`);
    await installQueue(database.url);
    await withBoss(async (boss) => {
      expect(await boss.getQueue('clean-expired')).toMatchObject(QUEUES['clean-expired'].options);
      expect((await boss.getSchedule('clean-expired'))?.cron).toBe('*/10 * * * *');
    });
  });

  it('upgrades an older schema, its indexes included', async () => {
    const version = async () =>
      Number((await owner.query('SELECT version FROM pgboss.version')).rows[0].version);
    const current = await version();
    await owner.query(getRollbackPlans('pgboss', current));
    expect(await version()).toBe(current - 1);
    // pg-boss builds at most one index in ten seconds; the test does not wait for those that came before.
    await owner.query('UPDATE pgboss.version SET bam_on = NULL');
    await installQueue(database.url);
    expect(await version()).toBe(current);
    await withBoss(async (boss) => {
      expect((await boss.detectSchemaDrift()).ok).toBe(true);
    });
  });

  it('lets the application’s role run everything of pg-boss except changing its schema', async () => {
    await withBoss(async (boss) => {
      await boss.send('clean-expired', {});
      await boss.supervise();
      const [job] = await boss.fetch('clean-expired');
      await boss.complete('clean-expired', job!.id);
    });
    const application = new pg.Client(applicationConnection(database.url, 'install-spec'));
    await application.connect();
    await expect(application.query('CREATE TABLE pgboss.mine ()')).rejects.toMatchObject({ code: '42501' });
    await expect(application.query('DROP TABLE pgboss.job')).rejects.toMatchObject({ code: '42501' });
    await application.end();
  });
});
