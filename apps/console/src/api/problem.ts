/** An RFC 9457 problem, as far as the console makes use of it. */
interface Problem {
  detail?: string;
  code?: string;
  errors?: { field: string; message: string }[];
}

/** A call that did not succeed: what the API said, or that it said nothing. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  /** Per field, what is wrong with it. */
  readonly fields: Record<string, string>;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, problem: Problem = {}, retryAfterSeconds?: number) {
    super(problem.detail ?? `The server answered ${status}.`);
    this.name = 'ApiError';
    this.status = status;
    this.code = problem.code;
    this.fields = Object.fromEntries((problem.errors ?? []).map(({ field, message }) => [field, message]));
    this.retryAfterSeconds = retryAfterSeconds;
  }

  static async from(response: Response): Promise<ApiError> {
    const problem = (await response.json().catch(() => ({}))) as Problem;
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    return new ApiError(response.status, problem, Number.isFinite(retryAfter) ? retryAfter : undefined);
  }

  /** No answer at all: the network, or the console's own server, is away. */
  static noAnswer(): ApiError {
    return new ApiError(0);
  }
}

/** The one place where an error becomes a sentence for people. */
export function inWords(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong in this page. Reload it and try again.';
  switch (error.status) {
    case 0:
      return 'There is no connection to the server. Check the network and try again.';
    case 401:
      return 'You are signed out. Sign in again to go on.';
    case 403:
      return 'Your role does not allow this.';
    case 429:
      return `Too many attempts. Try again ${inAWhile(error.retryAfterSeconds)}.`;
    case 503:
      return error.code === 'API_UNREACHABLE'
        ? 'The API does not answer. It may be starting; try again in a moment.'
        : 'The API cannot reach its database. It goes on by itself as soon as the database is back.';
    default:
      return error.status >= 500
        ? 'The server made a mistake. Its log says more.'
        : sentences([error.message, ...Object.values(error.fields)]);
  }
}

function inAWhile(seconds: number | undefined): string {
  if (seconds === undefined) return 'later';
  if (seconds < 90) return `in ${Math.ceil(seconds)} seconds`;
  return `in ${Math.ceil(seconds / 60)} minutes`;
}

function sentences(parts: string[]): string {
  return parts.map((part) => part.trim().replace(/\.?$/, '.')).join(' ');
}
