import type { ClientConfig } from 'pg';

/** The role that the application takes on each connection: it can neither change nor remove history. */
const APPLICATION_ROLE = 'muster_app';

/** The server gives up on a statement after this; the client, in case the server cannot say so, a little later. */
const STATEMENT_TIMEOUT_MS = 10_000;
const HALF_OPEN_FACTOR = 1.2;

/**
 * How the application connects: as the owner of DATABASE_URL, in the role `muster_app`. Migrations are the
 * only work that is done as the owner itself.
 */
export function applicationConnection(
  url: string,
  name: string,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
): ClientConfig {
  return {
    connectionString: withoutOptions(url),
    application_name: name,
    options: [
      optionsOf(url),
      `-c role=${APPLICATION_ROLE}`,
      `-c statement_timeout=${statementTimeoutMs}`,
      '-c idle_in_transaction_session_timeout=5000',
      '-c timezone=UTC',
    ]
      .filter(Boolean)
      .join(' '),
    query_timeout: Math.ceil(statementTimeoutMs * HALF_OPEN_FACTOR),
    connectionTimeoutMillis: 2_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
}

/** An address that can be shown: without the password. */
export function describeAddress(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || '5432'}${pathname}`;
}

// `pg` lets the URL's own options win over ours, so they are taken out of it and put in front.
function optionsOf(url: string): string {
  return new URL(url).searchParams.get('options') ?? '';
}

function withoutOptions(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete('options');
  return parsed.toString();
}
