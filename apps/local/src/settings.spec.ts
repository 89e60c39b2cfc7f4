import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';

describe('settings', () => {
  it('have defaults, also where they are empty', () => {
    expect(readSettings({ PORT: '', DATABASE_URL: ' ' })).toEqual({
      apiPort: 4000,
      consolePort: 3000,
      dataDirectory: resolve('.muster'),
      databaseUrl: undefined,
      adminUser: 'admin',
      adminPasswordGiven: false,
    });
  });

  it.each(['http', '0', '65536', '3.5', '-1', '4000 '.repeat(2)])('refuse the port "%s" by name', (value) => {
    expect(() => readSettings({ CONSOLE_PORT: value })).toThrow(/^CONSOLE_PORT is ".*", but a port is/);
  });

  it('refuse one port for both', () => {
    expect(() => readSettings({ PORT: '5000', CONSOLE_PORT: '5000' })).toThrow('they have to differ');
  });

  it('refuse a database address without repeating it', () => {
    const read = () => readSettings({ DATABASE_URL: 'mysql://me:s3cret@host/db' });
    expect(read).toThrow(/^DATABASE_URL is not of the form/);
    expect(read).not.toThrow('s3cret');
  });
});
