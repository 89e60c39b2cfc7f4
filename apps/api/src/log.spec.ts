import { expect, it } from '@jest/globals';
import { Database } from '@muster/data/database';
import { describeError } from './log.js';

it('tells why Prisma refused a call, but not what it was given, which may be a secret', async () => {
  const database = new Database({ url: 'postgres://nobody@127.0.0.1:1/nowhere', name: 'test' });
  const user = { username: 'a', passwordHash: 'the hash of a password', role: 'king' as never };
  const refused = database.prisma.user.create({ data: user }).catch((failure: unknown) => failure);
  const error = (await refused) as Error;
  expect(error.message).toContain(user.passwordHash);
  const described = JSON.stringify(describeError(error));
  expect(described).not.toContain(user.passwordHash);
  expect(described).toMatch(/Invalid `[^`]*user\.create\(\)` invocation.* Invalid value for argument `role`/);
  await database.close();
});

it('leaves any other error as it is', () => {
  const error = new Error('Something went wrong\n\nand this is why');
  expect(describeError(error)).toMatchObject({ type: 'Error', message: error.message, stack: error.stack });
});
