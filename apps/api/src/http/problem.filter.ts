import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemOf } from './problem.js';

/** Every error leaves as problem+json (RFC 9457), whoever threw it. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    sendProblem(error, host.switchToHttp().getRequest(), host.switchToHttp().getResponse());
  }
}

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { problem, retryAfterSeconds, unforeseen } = problemOf(error, request.url.split('?')[0] ?? '');
  if (unforeseen) request.log.error({ err: error }, 'a request failed unexpectedly');
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  // Serialised here: Fastify would pick a serializer by the route's own schema.
  reply
    .code(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem));
}
