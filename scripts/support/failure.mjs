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
    if (!(error instanceof CommandFailure)) throw error;
    if (error.output) console.error(error.output);
    console.error(error.message);
    process.exitCode = 1;
  }
}
