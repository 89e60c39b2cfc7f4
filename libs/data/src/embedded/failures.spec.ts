import { describe, expect, it } from '@jest/globals';
import { failureFrom, serverFailed } from './failures.js';

describe('reading why the server did not start', () => {
  it.each([
    ['FATAL:  could not write lock file "postmaster.pid": No space left on device', 'DISK_FULL'],
    ['FATAL:  pre-existing shared memory block (key 2, ID 3) is still in use', 'LEFTOVER_PROCESSES'],
    ['FATAL:  lock file "postmaster.pid" already exists', 'LEFTOVER_PROCESSES'],
    ['LOG:  could not bind IPv4 address "127.0.0.1": Address already in use', 'PORT_TAKEN'],
    ['FATAL:  database files are incompatible with server', 'OTHER_MAJOR_VERSION'],
    ['postgres: error while loading shared libraries: libicuuc.so.60: cannot open', 'NO_BINARIES'],
    ['initdb: error: could not create directory "x": Permission denied', 'DIRECTORY_NOT_WRITABLE'],
    ['FATAL:  unrecognized configuration parameter "nonsense"', 'NOT_STARTED'],
  ])('%s', (line, failure) => {
    expect(failureFrom(['LOG:  starting PostgreSQL', line])).toBe(failure);
  });

  it('quotes PostgreSQL where we have no better words', () => {
    const lines = [
      '2026-01-01 00:00:00 UTC [7] FATAL:  invalid value for parameter "port": "x"',
      'LOG:  bye',
    ];
    expect(serverFailed('PostgreSQL', lines, '/data').message).toBe(
      'PostgreSQL did not start: invalid value for parameter "port": "x"',
    );
  });
});
