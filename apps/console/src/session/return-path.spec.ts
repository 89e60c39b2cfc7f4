import { describe, expect, it } from '@jest/globals';
import { returnPath, signInPath } from './return-path';

describe('returnPath', () => {
  it.each(['/', '/tasks', '/tasks?status=failed', '/settings/users'])('goes back to %s', (path) => {
    expect(returnPath(path)).toBe(path);
  });

  it.each([
    null,
    undefined,
    '',
    'tasks',
    'https://elsewhere.example/',
    '//elsewhere.example/',
    '/\\elsewhere.example/',
    '/\t/elsewhere.example/',
    'javascript:alert(1)',
    '/sign-in?from=%2Fsign-in',
    '/api/auth/logout',
    '/x/../api/docs',
  ])('goes home rather than to %p', (path) => {
    expect(returnPath(path)).toBe('/');
  });
});

describe('signInPath', () => {
  it('carries the way back, if it is worth carrying', () => {
    expect(signInPath('/tasks?status=failed')).toBe('/sign-in?from=%2Ftasks%3Fstatus%3Dfailed');
    expect(signInPath('/')).toBe('/sign-in');
    expect(signInPath('//elsewhere.example')).toBe('/sign-in');
  });
});
