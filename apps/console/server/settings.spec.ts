import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings';

describe('readSettings', () => {
  it('has an answer for everything', () => {
    expect(readSettings({})).toEqual({ port: 3000, host: undefined, api: new URL('http://127.0.0.1:4000') });
  });

  it.each([
    [{ CONSOLE_PORT: 'three' }, /CONSOLE_PORT/],
    [{ CONSOLE_PORT: '70000' }, /CONSOLE_PORT/],
    [{ MUSTER_API_URL: 'localhost:4000' }, /MUSTER_API_URL/],
    [{ MUSTER_API_URL: 'not an address' }, /MUSTER_API_URL/],
  ])('names the setting that does not parse: %p', (env, name) => {
    expect(() => readSettings(env)).toThrow(name);
  });
});
