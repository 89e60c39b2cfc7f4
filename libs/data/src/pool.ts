import pg, { type ClientConfig, type PoolClient } from 'pg';

/** `pg`'s sentence for a statement whose answer did not come in time. */
const SILENCE = 'Query read timeout';

const CLOSE_PATIENCE_MS = 1_000;

type Query = (...given: unknown[]) => unknown;

/**
 * `pg`'s pool, for a database that may break in any way at any moment. It differs in what happens to a
 * connection that is lost while somebody uses it:
 *
 * - A broken one fails its statement, and nothing else. `pg` also emits an error, which nobody hears while
 *   the connection is lent out, and which would then end the process.
 * - A silent one is given up with the statement that got no answer. Left alive, whoever rolls back on it or
 *   borrows it next would wait for the same silence again. Those that lie idle are given up with it: most
 *   likely they are no better.
 */
export class Pool extends pg.Pool {
  private readonly open = new Set<PoolClient>();
  private readonly idle = new Set<PoolClient>();

  constructor(connection: ClientConfig, max: number) {
    super({ ...connection, max, idleTimeoutMillis: 30_000 });
    this.on('connect', (client) => this.watch(client));
    this.on('acquire', (client) => this.idle.delete(client));
    this.on('release', (_error, client) => this.idle.add(client));
    this.on('remove', (client) => {
      this.open.delete(client);
      this.idle.delete(client);
    });
  }

  /** Waits a little for whoever still uses a connection, but not for a database that does not answer. */
  async close(): Promise<void> {
    const cutOff = setTimeout(() => this.open.forEach(giveUp), CLOSE_PATIENCE_MS);
    await this.end().finally(() => clearTimeout(cutOff));
  }

  /** Whatever lies idle may be as dead as the connection that made us doubt; new ones cost little. */
  dropIdle(): void {
    for (const client of this.idle) giveUp(client);
  }

  private watch(client: PoolClient): void {
    this.open.add(client);
    client.on('error', () => {});
    const query = client.query.bind(client) as Query;
    client.query = ((...given: unknown[]) => {
      const answer = query(...given);
      if (answer instanceof Promise) answer.catch((error: unknown) => this.look(client, error));
      return answer;
    }) as PoolClient['query'];
  }

  private look(client: PoolClient, error: unknown): void {
    if (!(error instanceof Error) || error.message !== SILENCE) return;
    giveUp(client);
    this.dropIdle();
  }
}

/** Not ended politely: the other side of a silent connection would never answer. */
export function giveUp(client: pg.ClientBase): void {
  (client as pg.Client).connection.stream.destroy();
}
