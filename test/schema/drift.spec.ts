import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withSchemaEngine, readSchemas } from '@muster/data/migrations/schema-engine';
import { projectRoot } from '@muster/data/project-root';
import { eventTypes, severities } from '@muster/domain/events';
import { roles } from '@muster/domain/roles';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const schemaDirectory = path.join(projectRoot(), 'prisma');

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The SQL that would turn the migrated database into what prisma/*.prisma describes. */
async function missingSql(): Promise<string> {
  const files = await readSchemas(schemaDirectory);
  const diff = await withSchemaEngine(database.url, schemaDirectory, (engine) =>
    engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: schemaDirectory },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  return (diff.stdout ?? '').trim();
}

it('migrations and schema say the same', async () => {
  expect(await missingSql()).toBe('-- This is an empty migration.');
});

it('would notice a column that only the database has', async () => {
  await database.query('ALTER TABLE tasks ADD COLUMN forgotten text');
  expect(await missingSql()).toContain('DROP COLUMN "forgotten"');
  await database.query('ALTER TABLE tasks DROP COLUMN forgotten');
});

it.each([
  ['event_type', eventTypes],
  ['event_severity', severities],
  ['user_role', roles],
] as const)('the enum %s has the words of libs/domain', async (type, words) => {
  const [row] = await database.query<{ values: string[] }>(
    `SELECT enum_range(NULL::${type})::text[] AS values`,
  );
  expect(row!.values).toEqual([...words]);
});
