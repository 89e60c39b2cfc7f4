import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '../../dist/libs/data/src/embedded/embedded-server.js';
import { migrate } from '../../dist/libs/data/src/migrations/migrate.js';
import { readSchemas, withSchemaEngine } from '../../dist/libs/data/src/migrations/schema-engine.js';
import { inProject } from './project.mjs';

const schemaDirectory = inProject('prisma');
const NOTHING = '-- This is an empty migration.';

const [name] = process.argv.slice(2);
const sql = await onMigratedDatabase(missingSql);
if (sql === NOTHING) console.log('Nothing is missing: the migrations say what prisma/*.prisma says.');
else if (name === undefined) console.log(sql);
else console.log(`Written to ${write(name, sql)}`);

/** Migrations are read by what they do: an empty database that has all of them is compared with the schema. */
async function onMigratedDatabase(work) {
  const directory = mkdtempSync(join(tmpdir(), 'muster-migration-'));
  const server = await startEmbeddedServer({ directory, settings: { fsync: 'off' } });
  try {
    await migrate(server.url);
    return await work(server.url);
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function missingSql(url) {
  const files = await readSchemas(schemaDirectory);
  const { stdout } = await withSchemaEngine(url, schemaDirectory, (engine) =>
    engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: schemaDirectory },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  return (stdout ?? '').trim();
}

function write(name, sql) {
  const now = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = `prisma/migrations/${now}_${name}`;
  mkdirSync(inProject(folder));
  writeFileSync(inProject(folder, 'migration.sql'), `${sql}\n`);
  return `${folder}/migration.sql`;
}
