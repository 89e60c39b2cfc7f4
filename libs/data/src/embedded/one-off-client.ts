import pg from 'pg';

/** Opens a connection for a few statements. A server that goes away meanwhile fails the statement only. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The major version of the server that answers at this address. */
export function majorVersionAt(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ major: number }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS major`,
    );
    return rows[0]!.major;
  });
}

export function ensureDatabase(url: string, name: string): Promise<void> {
  return withClient(url, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  });
}

/** Lets a role that is there sign in with a password. */
export function allowLogin(url: string, role: string, password: string): Promise<void> {
  return withClient(url, async (client) => {
    // The password must not get into the server's log, not even if the statement fails.
    await client.query('SET log_min_error_statement = panic');
    await client.query(
      `ALTER ROLE ${client.escapeIdentifier(role)} LOGIN PASSWORD ${client.escapeLiteral(password)}`,
    );
  });
}
