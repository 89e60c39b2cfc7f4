export type EmbeddedServerFailure =
  | 'NO_BINARIES'
  | 'NO_SERVER_USER'
  | 'DIRECTORY_NOT_WRITABLE'
  | 'DIRECTORY_NOT_REACHABLE'
  | 'DIRECTORY_IN_USE'
  | 'OTHER_MAJOR_VERSION'
  | 'PASSWORD_LOST'
  | 'DISK_FULL'
  | 'PORT_TAKEN'
  | 'LEFTOVER_PROCESSES'
  | 'NOT_STARTED';

/** Why there is no server. The message is one sentence that can be shown to a user as it is. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError';

  constructor(
    readonly code: EmbeddedServerFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Turns what the file system says about a folder into the sentence for it; any other error stays as it is. */
export function explainFileError(error: unknown, directory: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'EEXIST':
    case 'ENOTDIR':
      return new EmbeddedServerError(
        'DIRECTORY_NOT_WRITABLE',
        `The database folder ${directory} cannot be written.`,
        { cause: error },
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new EmbeddedServerError('DISK_FULL', `The disk that holds ${directory} is full.`, {
        cause: error,
      });
    default:
      return error;
  }
}
