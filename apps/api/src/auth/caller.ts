import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Role } from '@muster/domain/roles';
import type { FastifyRequest } from 'fastify';
import { unauthenticated } from '@muster/domain/errors';

/** Who makes a request, proved. Passed on as an argument; nothing is request-scoped. */
export interface Caller {
  readonly kind: 'user' | 'api-key';
  readonly accountId: string;
  readonly name: string;
  readonly role: Role;
  readonly sessionId: string | null;
  readonly expiresAt: Date | null;
}

/** How a caller is named in history and events. */
export function actorOf(caller: Caller): string {
  return `${caller.kind}:${caller.name}`;
}

export interface AuthenticatedRequest extends FastifyRequest {
  caller?: Caller;
}

/** The caller of a route that is not public. */
export const By = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!caller) throw unauthenticated();
  return caller;
});
