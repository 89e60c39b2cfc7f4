import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';
import {
  DatabaseUnavailable,
  isConflict,
  isDuplicate,
  isUnavailable,
  Overloaded,
  sqlStateOf,
} from '@muster/data/errors';
import { Fault, type FaultKind } from '@muster/domain/errors';
import { IllegalTransition } from '@muster/domain/state-machine';
import type { Problem } from '@muster/protocol/problem';
import { NotReady } from '../health/readiness.js';

const STATUS_OF: Record<FaultKind, number> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  conflict: 409,
  unacceptable: 422,
  throttled: 429,
};

/** Codes for what the HTTP server itself refuses, before any of our code runs. */
const CODE_OF: Record<number, string> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  406: 'NOT_ACCEPTABLE',
  408: 'REQUEST_TIMEOUT',
  413: 'TOO_LARGE',
  414: 'URI_TOO_LONG',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'OVERLOADED',
  431: 'HEADERS_TOO_LARGE',
};

export interface ProblemAnswer {
  readonly problem: Problem;
  readonly retryAfterSeconds?: number;
  /** Nobody foresaw it: worth a stack trace in the log. */
  readonly unforeseen: boolean;
}

/** The one place where an error becomes an answer. */
export function problemOf(error: unknown, instance: string): ProblemAnswer {
  if (error instanceof Fault) {
    const { errors, current, retryAfterSeconds } = error.details;
    const problem = build(STATUS_OF[error.kind], error.code, error.message, instance);
    return {
      problem: { ...problem, ...(errors && { errors: [...errors] }), ...(current && { current }) },
      retryAfterSeconds,
      unforeseen: false,
    };
  }
  if (error instanceof NotReady) return answer(503, 'NOT_READY', `Not ready: ${error.message}`, instance, 1);
  if (error instanceof Overloaded) return answer(429, 'OVERLOADED', error.message, instance, 1);
  if (error instanceof DatabaseUnavailable || isUnavailable(error)) {
    return answer(503, 'DATABASE_UNAVAILABLE', 'The database is away; try again shortly', instance, 1);
  }
  if (isConflict(error)) {
    // Run again already, and lost again: nothing was done, and it is not the caller's fault.
    return answer(
      503,
      'DATABASE_BUSY',
      'Others change the same at this moment; try again shortly',
      instance,
      1,
    );
  }
  if (error instanceof IllegalTransition) return answer(409, 'ILLEGAL_TRANSITION', error.message, instance);
  return fromDatabase(error, instance) ?? fromServer(error, instance) ?? unforeseen(instance);
}

/** What PostgreSQL refuses because of what the caller sent is the caller's affair, not a failure of ours. */
function fromDatabase(error: unknown, instance: string): ProblemAnswer | undefined {
  if (isDuplicate(error))
    return answer(409, 'ALREADY_EXISTS', 'Something with this name or id is there already', instance);
  const state = sqlStateOf(error);
  if (state === 'MU001')
    return answer(409, 'ILLEGAL_TRANSITION', 'The current state does not allow that', instance);
  if (state === '23503')
    return answer(
      409,
      'REFERENCED',
      'Something that this refers to is missing, or is still needed',
      instance,
    );
  if (state?.startsWith('22') || state === '23514') {
    return answer(422, 'UNACCEPTABLE_VALUE', 'A value cannot be stored', instance);
  }
  return undefined;
}

/** Nest's and Fastify's own refusals: no such route, too large, not JSON, … */
function fromServer(error: unknown, instance: string): ProblemAnswer | undefined {
  const status =
    error instanceof HttpException ? error.getStatus() : (error as { statusCode?: number })?.statusCode;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  return { problem: refusalOf(status, instance, (error as Error).message), unforeseen: false };
}

/** What the HTTP server refuses by the status alone. */
export function refusalOf(status: number, instance: string, detail = STATUS_CODES[status] ?? ''): Problem {
  return build(status, CODE_OF[status] ?? 'REFUSED', detail, instance);
}

function unforeseen(instance: string): ProblemAnswer {
  const detail = 'Something went wrong here; the log has the details under this request id';
  return { problem: build(500, 'INTERNAL', detail, instance), unforeseen: true };
}

function answer(
  status: number,
  code: string,
  detail: string,
  instance: string,
  retryAfterSeconds?: number,
): ProblemAnswer {
  return { problem: build(status, code, detail, instance), retryAfterSeconds, unforeseen: false };
}

function build(status: number, code: string, detail: string, instance: string): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, instance, code };
}
