import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg';
import { projectRoot } from '../project-root.js';
import type {
  MigrationList,
  SchemaContainer,
  SchemaEngine,
} from '@prisma/schema-engine-wasm/schema_engine_bg';

/**
 * Prisma's own schema engine in its WebAssembly build: the CLI's native one is downloaded at run time,
 * which a closed network does not allow. It keeps the real `_prisma_migrations` table, so a user's own
 * `prisma migrate deploy` agrees with what happened here.
 */
export async function withSchemaEngine<T>(
  url: string,
  schemaDirectory: string,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  await instantiate();
  const schemas = await readSchemas(schemaDirectory);
  const datamodels = schemas.map(({ path, content }) => [path, content]) as [string, string][];
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    application_name: 'muster-migrate',
    connectionTimeoutMillis: 2_000,
    keepAlive: true,
  });
  pool.on('error', () => {});
  const factory = new MigrationAdapter(pool);
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(factory);
    const engine = await glue.SchemaEngine.new({ datamodels }, () => {}, adapter);
    return await work(engine).finally(() => engine.free());
  } catch (error) {
    // The engine knows errors of ours by a number only.
    throw /external error/i.test(String(error)) ? (factory.lastError ?? error) : error;
  } finally {
    await pool.end();
  }
}

export async function readSchemas(schemaDirectory: string): Promise<SchemaContainer[]> {
  const files = (await readdir(schemaDirectory)).filter((file) => file.endsWith('.prisma')).sort();
  return Promise.all(
    files.map(async (file) => ({
      path: file,
      content: await readFile(path.join(schemaDirectory, file), 'utf8'),
    })),
  );
}

export async function readMigrations(schemaDirectory: string): Promise<MigrationList> {
  const baseDir = path.join(schemaDirectory, 'migrations');
  const entries = await readdir(baseDir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return {
    baseDir,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(path.join(baseDir, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.sort().map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: {
            tag: 'ok',
            value: await readFile(path.join(baseDir, name, 'migration.sql'), 'utf8'),
          } as const,
        },
      })),
    ),
  };
}

/**
 * Three things the stock adapter cannot do that migrations need. It cuts a script at every semicolon, which
 * function bodies do not survive, and runs the pieces one by one: sent whole, a script is parsed by the server
 * and is one transaction. To that transaction belongs the record that the migration is finished: whatever
 * breaks off, both are there or neither. And it does not know PostgreSQL's one-byte "char", of which the
 * catalogue is full.
 */
class MigrationAdapter extends PrismaPg {
  lastError: unknown;

  override async connect() {
    return completed(await super.connect(), this.note);
  }

  override async connectToShadowDb() {
    return completed(await super.connectToShadowDb(), this.note);
  }

  private readonly note = (error: unknown): never => {
    this.lastError = error;
    throw error;
  };
}

/** Other scripts than migrations pass by here too, when no migration is open or the table is not there yet. */
const RECORD_AS_FINISHED = `
;DO $$ BEGIN
  IF to_regclass('_prisma_migrations') IS NOT NULL THEN
    UPDATE _prisma_migrations SET finished_at = clock_timestamp()
    WHERE finished_at IS NULL AND rolled_back_at IS NULL;
  END IF;
END $$`;

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;
type Internals = { performIO(query: object): Promise<{ fields: Array<{ dataTypeID: number }> }> };

const CHAR = 18;
const TEXT = 25;

function completed(adapter: Adapter, note: (error: unknown) => never): Adapter {
  adapter.executeScript = async (script) => {
    await adapter
      .underlyingDriver()
      .query(script + RECORD_AS_FINISHED)
      .catch(note);
  };
  // The reply is read as text, and the columns that were "char" are then called what the engine expects.
  const internals = adapter as unknown as Internals;
  const performIO = internals.performIO.bind(adapter);
  const charColumns = new WeakMap<object, number[]>();
  internals.performIO = async (query) => {
    const result = await performIO(query).catch(note);
    const columns = result.fields.flatMap((field, column) => (field.dataTypeID === CHAR ? column : []));
    for (const column of columns) result.fields[column]!.dataTypeID = TEXT;
    charColumns.set(query, columns);
    return result;
  };
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query);
    for (const column of charColumns.get(query) ?? []) result.columnTypes[column] = ColumnTypeEnum.Character;
    return result;
  };
  return adapter;
}

// Node has it; the type library that describes it is the browser's.
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: Record<string, () => void> } }>;
};

let instantiated: Promise<void> | undefined;

function instantiate(): Promise<void> {
  instantiated ??= (async () => {
    const require = createRequire(path.join(projectRoot(), 'package.json'));
    const file = require
      .resolve('@prisma/schema-engine-wasm/schema_engine_bg')
      .replace(/schema_engine_bg\.js$/, 'schema_engine_bg.wasm');
    const { instance } = await WebAssembly.instantiate(await readFile(file), {
      './schema_engine_bg.js': withLooseTimers(glue),
    });
    glue.__wbg_set_wasm(instance.exports);
    instance.exports.__wbindgen_start?.();
  })();
  return instantiated;
}

/** The engine forgets to take back the time-out of its lock, and would keep the process alive until it passes. */
function withLooseTimers(imports: object): object {
  return Object.fromEntries(
    Object.entries(imports).map(([name, imported]) => {
      if (!name.startsWith('__wbg_setTimeout')) return [name, imported];
      return [name, (...given: [() => void, number]) => (imported as typeof setTimeout)(...given).unref()];
    }),
  );
}
