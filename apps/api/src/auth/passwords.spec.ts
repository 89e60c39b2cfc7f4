import { expect, it } from '@jest/globals';
import { hashPassword, verifyPassword } from './passwords.js';

it('keeps a password as argon2id with its own salt', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]+\$[\w+/]+$/);
  expect(one).not.toBe(two);
});

it('knows the right one from a wrong one', async () => {
  const stored = await hashPassword('correct horse');
  expect(await verifyPassword('correct horse', stored)).toBe(true);
  expect(await verifyPassword('correct hors', stored)).toBe(false);
  expect(await verifyPassword('', stored)).toBe(false);
});

it('verifies what another implementation made', async () => {
  // From the reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1 -l 32
  const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  expect(await verifyPassword('password', stored)).toBe(true);
});

it('refuses whoever has none, after the same work', async () => {
  expect(await verifyPassword('anything', null)).toBe(false);
});
