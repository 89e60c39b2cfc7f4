import { Database } from '@muster/data/database';
import { fastify } from 'fastify';
import { cpuMicros } from '../support/cpu.js';
import { answer } from '../support/program.js';
import { Rows, type Wish } from './rows.js';

// Nothing but Fastify and the writer: nobody asks who calls, what the body holds or how long it took.
const database = new Database({ url: process.env.DATABASE_URL!, name: 'muster-bench' });
const rows = new Rows(database);
const server = fastify();
server.post<{ Body: Wish }>('/', async (request, reply) => {
  reply.code(201);
  return rows.keepCoalesced(request.body);
});
const url = await server.listen({ host: '127.0.0.1', port: 0 });

async function end(): Promise<void> {
  await server.close();
  await database.close();
  process.exit(0);
}
process.once('SIGTERM', end).once('SIGINT', end);

answer({ figures: () => ({ ...rows.figures, cpuMicros: cpuMicros() }) }, url);
