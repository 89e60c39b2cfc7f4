import { afterEach, describe, expect, it } from '@jest/globals';
import { signIn } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { RunningProcess } from '../support/process.js';
import { Scenario } from '../support/scenario.js';

const scenario = new Scenario();
afterEach(() => scenario.end());

describe('a leader that is paused past its lease', () => {
  it.each([
    ['when it is about to write, is refused by the fence', 'BEGIN', 'the fence'],
    ['inside the fence, loses what it was writing', 'INSERT INTO duty_log', 'the database'],
  ])('%s, and another leads meanwhile', async (_, statement, refusedBy) => {
    const database = await databaseWithDutyLog();
    const proxy = await scenario.proxy(database.url);
    const paused = writer(proxy.url);
    await paused.saw(/"wrote","term":1/);
    const successor = writer(database.url);

    // It has looked at its lease, found it good, and is on its way to the database when it is stopped.
    const held = await proxy.hold(statement, 'before', 'writer');
    paused.signal('SIGSTOP');
    const acquired = JSON.parse(await successor.saw(/"acquired"/)) as { term: number };
    expect(acquired.term).toBe(2);
    await successor.saw(/"wrote","term":2/);
    const writtenByPaused = await written(database, 1);
    held.release();
    paused.signal('SIGCONT');

    expect(JSON.parse(await paused.saw(/"refused"/))).toEqual({ what: 'refused', by: refusedBy });
    await paused.saw(/"lost"/);
    expect(await written(database, 1)).toBe(writtenByPaused);
    expect(await termsInOrder(database)).toEqual([1, 2]);

    // It is a follower now, and may lead again in a later term.
    successor.signal('SIGKILL');
    await paused.saw(/"acquired","term":3/);
    await paused.saw(/"wrote","term":3/);
    expect(await termsInOrder(database)).toEqual([1, 2, 3]);
  });

  it('is succeeded by another API process, and follows when it goes on', async () => {
    const database = await scenario.database();
    const paused = await scenario.api(database.url);
    await paused.saw(/"term":"1".*Leadership acquired/);
    const { client } = await signIn(paused.url);
    const successor = await scenario.api(database.url);
    paused.signal('SIGSTOP');
    await successor.saw(/"term":"2".*Leadership acquired/);
    paused.signal('SIGCONT');
    await paused.saw(/"term":"1".*Leadership ended/);
    expect((await client('GET', '/api/auth/me')).status).toBe(200);
    await successor.stop();
    await paused.saw(/"term":"3".*Leadership acquired/);
  });
});

async function databaseWithDutyLog(): Promise<TestDatabase> {
  const database = await scenario.database();
  await database.query('CREATE TABLE duty_log (position bigserial PRIMARY KEY, term bigint NOT NULL)');
  await database.query('GRANT INSERT ON duty_log TO muster_app');
  await database.query('GRANT USAGE ON SEQUENCE duty_log_position_seq TO muster_app');
  return database;
}

function writer(databaseUrl: string): RunningProcess {
  return scenario.process('test/support/fenced-writer.mjs', { DATABASE_URL: databaseUrl });
}

async function written(database: TestDatabase, term: number): Promise<number> {
  const [count] = await database.query<{ times: number }>(
    'SELECT count(*)::int AS times FROM duty_log WHERE term = $1',
    [term],
  );
  return count!.times;
}

/** The terms as they come in the log: one after the other, never one again after a later one. */
async function termsInOrder(database: TestDatabase): Promise<number[]> {
  const rows = await database.query<{ term: string }>('SELECT term FROM duty_log ORDER BY position');
  return rows.map(({ term }) => Number(term)).filter((term, place, all) => term !== all[place - 1]);
}
