import { afterEach, describe, it } from '@jest/globals';
import { signIn } from '../support/client.js';
import { expectMigratedOnce } from '../support/migrated-once.js';
import { Scenario } from '../support/scenario.js';

const scenario = new Scenario();
afterEach(() => scenario.end());

const MIGRATOR = 'muster-migrate';
/** Points of the first start at which it breaks off: within a migration, right after it, and later. */
const POINTS = [
  ['inside the first migration', 'CREATE TABLE "managers"', 'before', MIGRATOR],
  ['after a migration whose end nobody heard of', 'CREATE TABLE "managers"', 'after', MIGRATOR],
  ['inside a later migration', 'CREATE FUNCTION', 'after', MIGRATOR],
  ['while the queues are made', 'CREATE SCHEMA IF NOT EXISTS pgboss', 'before', MIGRATOR],
  ['while the first administrator is made', 'COMMIT', 'before', 'muster-api'],
  ['after the first administrator was made', 'COMMIT', 'after', 'muster-api'],
] as const;

describe('when the first start breaks off', () => {
  it.each(POINTS)('%s because the database is lost, it goes on by itself', async (_, text, where, name) => {
    const database = await scenario.emptyDatabase();
    const proxy = await scenario.proxy(database.url);
    const held = proxy.hold(text, where, name);
    const api = await scenario.api(proxy.url, {}, { waitUntilReady: false });
    (await held).cut();
    await api.saw(/"msg":"ready"/);
    await signIn(api.url);
    await expectMigratedOnce(database);
  });

  it.each(POINTS.slice(0, 4))(
    '%s because the API is killed, the next one goes on',
    async (_, text, where, name) => {
      const database = await scenario.emptyDatabase();
      const proxy = await scenario.proxy(database.url);
      const held = proxy.hold(text, where, name);
      const killed = await scenario.api(proxy.url, {}, { waitUntilReady: false });
      await held;
      killed.signal('SIGKILL');
      await killed.exited;
      const next = await scenario.api(database.url);
      await signIn(next.url);
      await expectMigratedOnce(database);
    },
  );
});
