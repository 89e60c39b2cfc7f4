import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { forbidden, unauthenticated } from '@muster/domain/errors';
import { ACCESS, type AccessRule } from './access.js';
import { actorOf, type AuthenticatedRequest, type Caller } from './caller.js';
import { tokenFromCookies } from './cookie.js';
import { Credentials } from './credentials.js';
import { refuseCrossSite } from './cross-site.js';
import { Denials } from './denials.js';

/** Lets in who a handler's `@Access` names, and nobody to a handler that has none. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly credentials: Credentials,
    private readonly denials: Denials,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const rule = this.reflector.get<AccessRule | undefined>(ACCESS, context.getHandler());
    if (rule?.kind === 'public') return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    request.caller = await this.identify(request);
    this.authorise(rule, request.caller, request);
    return true;
  }

  private async identify(request: AuthenticatedRequest): Promise<Caller> {
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const cookie = bearer ? undefined : tokenFromCookies(request.cookies, request.protocol === 'https');
    const token = bearer ?? cookie;
    if (token === undefined) throw unauthenticated();
    if (cookie !== undefined) refuseCrossSite(request, this.denials);
    const caller = await this.credentials.identify(token);
    if (caller) return caller;
    this.denials.note({
      eventType: 'auth_failed',
      actor: `address:${request.ip}`,
      description: 'A credential was refused',
      data: { route: request.routeOptions.url },
    });
    throw unauthenticated('This credential is not, or no longer, valid');
  }

  private authorise(rule: AccessRule | undefined, caller: Caller, request: AuthenticatedRequest): void {
    if (rule?.kind === 'roles' && rule.roles.includes(caller.role)) return;
    this.denials.note({
      eventType: 'access_denied',
      actor: actorOf(caller),
      description: `${request.method} ${request.routeOptions.url} was refused to the role ${caller.role}`,
      data: { method: request.method, route: request.routeOptions.url, role: caller.role },
    });
    throw forbidden('FORBIDDEN', `The role ${caller.role} may not do this`);
  }
}
