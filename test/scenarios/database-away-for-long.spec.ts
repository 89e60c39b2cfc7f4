import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { io } from 'socket.io-client';
import { signIn } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { Scenario } from '../support/scenario.js';

const TEN_MINUTES_MS = 600_000;

const scenario = new Scenario();
afterEach(() => scenario.end());

describe('when the database was away for long', () => {
  it('the next term knows for how long, and nobody was signed out or disconnected for it', async () => {
    const database = await scenario.database();
    const proxy = await scenario.proxy(database.url);
    const api = await scenario.api(proxy.url);
    await api.saw(/"term":"1".*Leadership acquired/);
    const { client, token } = await signIn(api.url);
    const socket = io(api.url, { auth: { token }, transports: ['websocket'], reconnection: false });
    scenario.atEnd(() => socket.disconnect());
    await once(socket as never, 'connect');
    let disconnected = false;
    socket.on('disconnect', () => (disconnected = true));

    await proxy.refuse();
    await api.saw(/"msg":"the database is away"/);
    expect((await client('GET', '/api/auth/me')).status).toBe(503);
    // Seen from the database, the last sign of life is ten minutes old when the way is free again.
    await database.query(
      `UPDATE leadership SET renewed_at = renewed_at - interval '10 minutes', expires_at = expires_at - interval '10 minutes'`,
    );
    await proxy.accept();

    const acquired = JSON.parse(await api.saw(/"term":"2".*Leadership acquired/)) as { gapMs: number };
    expect(acquired.gapMs).toBeGreaterThanOrEqual(TEN_MINUTES_MS);
    expect(acquired.gapMs).toBeLessThan(TEN_MINUTES_MS + 60_000);
    expect((await client('GET', '/api/auth/me')).status).toBe(200);
    expect(disconnected).toBe(false);
    // The absence is in the audit trail, and the sign of life goes on.
    await eventually(
      () => database.query(`SELECT FROM system_events WHERE event_type = 'database_degraded'`),
      (events) => events.length === 1,
    );
    await eventually(
      () => database.query(`SELECT FROM leadership WHERE renewed_at > acquired_at`),
      (renewed) => renewed.length === 1,
    );
  });
});
