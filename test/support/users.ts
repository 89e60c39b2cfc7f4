import type { Answer, Client } from './client.js';

/** Enough of a connection to look into the tables. */
interface Tables {
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
}

/** Asks for a user under an idempotency key; undefined if the connection broke before an answer came. */
export function requestUser(client: Client, username: string, key: string): Promise<Answer | undefined> {
  const user = { username, password: 'a password for tests', role: 'viewer' };
  return client('POST', '/api/users', user, { 'idempotency-key': key }).catch(() => undefined);
}

/** How often the user is there, and how often the audit trail says that it was created. */
export async function effectsOf(
  tables: Tables,
  username: string,
): Promise<{ users: number; events: number }> {
  const [effects] = await tables.query<{ users: number; events: number }>(
    `SELECT (SELECT count(*)::int FROM users WHERE username = $1) AS users,
            (SELECT count(*)::int FROM system_events
             WHERE event_type = 'admin_action' AND event_data->>'username' = $1) AS events`,
    [username],
  );
  return effects!;
}
