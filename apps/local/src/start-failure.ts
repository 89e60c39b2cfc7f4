/** What stops a start, in one sentence for the user. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';

  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
