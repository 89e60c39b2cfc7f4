/** Why a command cannot go on: a sentence, and what the failing program printed if that helps. */
export class CommandFailure extends Error {
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

/** Runs a command; a failure ends it with its sentence, anything else that is thrown is a mistake of ours. */
export async function main(command) {
  try {
    process.exitCode = await command();
  } catch (error) {
    const { message, output } = error instanceof CommandFailure ? error : explain(error);
    if (output) console.error(output);
    console.error(message);
    process.exitCode = 1;
  }
}

function explain(error) {
  if (!['EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(error.code)) throw error;
  return new CommandFailure(`${error.path ?? 'The project folder'} cannot be written (${error.code}).`);
}
