import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Database } from './database.js';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = new Database({ url: testDatabase.url, name: 'test' });
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

it('what goes wrong is told without what was given, which may be a secret', async () => {
  const user = { username: 'a', passwordHash: 'the hash of a password', role: 'king' as never };
  const failure = await database.prisma.user.create({ data: user }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(JSON.stringify(failure) + String(failure) + (failure as Error).stack).not.toContain(
    user.passwordHash,
  );
});
