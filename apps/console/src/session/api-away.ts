const DIGEST = 'API_AWAY';

/**
 * Thrown where a page cannot be made because the API, or its database, does not answer. Of a server's error only
 * the digest reaches the browser, so the digest is what the error page recognises.
 */
export class ApiAwayError extends Error {
  readonly digest = DIGEST;

  constructor() {
    super('The API does not answer.');
    this.stack = undefined;
  }
}

export function isApiAway(error: { digest?: string }): boolean {
  return error.digest === DIGEST;
}
