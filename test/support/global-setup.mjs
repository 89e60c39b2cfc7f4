import pg from 'pg';
import { migrate } from '../../dist/libs/data/src/migrations/migrate.js';
import { startServer } from './server.mjs';

/** One server for the whole run, and on it the migrated template from which each test file's database is cloned. */
export default async function globalSetup() {
  const server = await startServer();
  console.log(`\nTests run on ${server.description}`);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('CREATE DATABASE muster_template');
  await client.end();
  const template = new URL(server.url);
  template.pathname = '/muster_template';
  await migrate(template.toString());
  process.env.MUSTER_TEST_SERVER_URL = server.url;
  globalThis.musterTestServer = server;
}
