import { afterEach, describe, expect, it } from '@jest/globals';
import { clientOf, signIn } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { Scenario } from '../support/scenario.js';

const LISTENER = 'muster-api signals';

const scenario = new Scenario();
afterEach(() => scenario.end());

describe('when the connection that listens is terminated', () => {
  it('nothing that was remembered is trusted until it listens again', async () => {
    const database = await scenario.database();
    const proxy = await scenario.proxy(database.url);
    const deaf = await scenario.api(proxy.url);
    const other = await scenario.api(database.url);
    const [staying, leaving] = [await signIn(deaf.url), await signIn(deaf.url)];
    // Both are remembered here.
    for (const { client } of [staying, leaving]) await client('GET', '/api/auth/me');

    proxy.cut(LISTENER);
    await deaf.saw(/Signals do not arrive; connecting again/);
    await clientOf(other.url, leaving.token)('POST', '/api/auth/logout');
    expect((await leaving.client('GET', '/api/auth/me')).status).toBe(401);
    expect((await staying.client('GET', '/api/auth/me')).status).toBe(200);

    proxy.letThrough(LISTENER);
    await eventually(
      () => listeners(),
      (count) => count === 2,
    );
    expect((await leaving.client('GET', '/api/auth/me')).status).toBe(401);
    // It hears again: what it remembers from now on ends with the session.
    expect((await staying.client('GET', '/api/auth/me')).status).toBe(200);
    await clientOf(other.url, staying.token)('POST', '/api/auth/logout');
    await eventually(
      async () => (await staying.client('GET', '/api/auth/me')).status,
      (status) => status === 401,
      1_000,
    );

    async function listeners(): Promise<number> {
      const rows = await database.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = '${LISTENER}' AND state = 'idle'`,
      );
      return rows.length;
    }
  });

  it('by the server, it listens again within a second', async () => {
    const database = await scenario.database();
    const api = await scenario.api(database.url);
    const pidOfListener = async () => {
      const [found] = await database.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = '${LISTENER}' AND query LIKE 'LISTEN%'`,
      );
      return found?.pid;
    };
    const before = await eventually(pidOfListener, (pid) => pid !== undefined);
    await database.query('SELECT pg_terminate_backend($1)', [before]);
    await eventually(pidOfListener, (pid) => pid !== undefined && pid !== before, 1_500);
    expect((await clientOf(api.url)('GET', '/readyz')).status).toBe(200);
  });
});
