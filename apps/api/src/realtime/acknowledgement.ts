import type { FieldProblem } from '@muster/protocol/problem';
import { problemOf } from '../http/problem.js';

export interface Refusal {
  readonly ok: false;
  readonly code: string;
  readonly message: string;
  readonly errors?: FieldProblem[];
  readonly current?: Record<string, unknown>;
}

/** A message can be wrong in more ways than anybody wants to read. */
const MOST_ERRORS = 20;

/** The one place where an error becomes an acknowledgement, with the codes that REST uses. */
export function refusalOf(error: unknown): { refusal: Refusal; unforeseen: boolean } {
  const { problem, unforeseen } = problemOf(error, '');
  const { code, detail: message, errors, current } = problem;
  const refusal: Refusal = {
    ok: false,
    code: CODE_OF[problem.status] ?? code,
    message,
    ...(errors && { errors: errors.slice(0, MOST_ERRORS) }),
    ...(current && { current }),
  };
  return { refusal, unforeseen };
}

/** What REST tells by the status alone, the code must tell here. */
const CODE_OF: Record<number, string> = { 400: 'BAD_REQUEST', 429: 'RATE_LIMITED' };
