import { EmbeddedServerError, type EmbeddedServerFailure } from './embedded-errors.js';

/** What PostgreSQL prints (always in English, see the environment it gets) when it cannot go on. */
const signs: readonly (readonly [RegExp, EmbeddedServerFailure])[] = [
  [/No space left on device|Disk quota exceeded/, 'DISK_FULL'],
  [/pre-existing shared memory block|lock file "postmaster\.pid" already exists/, 'LEFTOVER_PROCESSES'],
  [/Address already in use|could not create any TCP\/IP sockets/, 'PORT_TAKEN'],
  [/database files are incompatible with server/, 'OTHER_MAJOR_VERSION'],
  [/error while loading shared libraries|cannot execute|Library not loaded/, 'NO_BINARIES'],
  [
    /Permission denied|Read-only file system|has (wrong ownership|invalid permissions)/,
    'DIRECTORY_NOT_WRITABLE',
  ],
];

/** Reads the reason for a failed start out of what was printed. */
export function failureFrom(lines: readonly string[]): EmbeddedServerFailure {
  for (const [sign, failure] of signs) {
    if (lines.some((line) => sign.test(line))) return failure;
  }
  return 'NOT_STARTED';
}

export function serverFailed(
  program: string,
  lines: readonly string[],
  directory: string,
): EmbeddedServerError {
  const code = failureFrom(lines);
  return new EmbeddedServerError(code, sentenceFor(code, program, lines, directory));
}

function sentenceFor(
  code: EmbeddedServerFailure,
  program: string,
  lines: readonly string[],
  directory: string,
): string {
  switch (code) {
    case 'DISK_FULL':
      return `The disk that holds ${directory} is full.`;
    case 'LEFTOVER_PROCESSES':
      return `Processes of an earlier PostgreSQL still use ${directory}.`;
    case 'PORT_TAKEN':
      return `The port of the embedded PostgreSQL is taken by another program.`;
    case 'OTHER_MAJOR_VERSION':
      return `The database in ${directory} was made by another version of PostgreSQL.`;
    case 'DIRECTORY_NOT_WRITABLE':
      return `The database folder ${directory} cannot be used: ${lastError(lines)}`;
    default:
      return `${program} did not start: ${lastError(lines)}`;
  }
}

function lastError(lines: readonly string[]): string {
  const telling = lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1);
  return telling?.replace(/^.*?(FATAL|PANIC|error): */, '') ?? 'it printed nothing.';
}
