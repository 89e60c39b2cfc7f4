import { startEmbeddedServer } from '@muster/data/embedded/embedded-server';
import { EmbeddedServerError } from '@muster/data/embedded/embedded-errors';
import type { DataFolder } from './data-folder.js';
import type { Log } from './log-folder.js';
import type { Service } from './service.js';
import { StartFailure } from './start-failure.js';

export interface EmbeddedDatabase extends Service {
  /** Where it is, once it has been started; it keeps its address for as long as we run. */
  readonly url: string;
}

/** PostgreSQL as a service. It comes back on its port, so that those who use it find it again. */
export function embeddedDatabase(folder: DataFolder, log: Log): EmbeddedDatabase {
  let url: string | undefined;
  let port: number | undefined;
  return {
    name: 'database',
    stopWithinMs: 3_000,
    get url() {
      if (url === undefined) throw new Error('the database has not been started yet');
      return url;
    },
    async start(signal) {
      const server = await startEmbeddedServer({
        directory: folder.file('postgres'),
        port,
        onLog: (line) => log.append(line),
        signal,
      }).catch((error: unknown) => {
        throw error instanceof EmbeddedServerError ? new StartFailure(error.message) : error;
      });
      ({ url, port } = server);
      await folder.writePrivate('database-url', url);
      return {
        exited: server.exited.then(() => 'The database ended'),
        stop: (graceMs, hurry) => {
          hurry?.addEventListener('abort', () => void server.stop({ graceMs: 0 }), { once: true });
          return server.stop({ graceMs: hurry?.aborted ? 0 : graceMs });
        },
      };
    },
  };
}
