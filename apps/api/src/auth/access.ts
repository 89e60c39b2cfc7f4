import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiCookieAuth, ApiExtension } from '@nestjs/swagger';
import type { Role } from '@muster/domain/roles';

/** Who may call a route or send a socket event. */
export type AccessRule =
  { readonly kind: 'public' } | { readonly kind: 'roles'; readonly roles: readonly Role[] };

export const ACCESS = 'muster:access';

/**
 * Declares who may call a handler: `@Access('admin', 'client')`, `@Access.public()`, `@Access.signedIn()`.
 * A handler without a declaration is closed to everybody, and a test fails for it.
 */
export function Access(...roles: Role[]) {
  return applyDecorators(
    SetMetadata(ACCESS, { kind: 'roles', roles } satisfies AccessRule),
    ApiBearerAuth(),
    ApiCookieAuth(),
    ApiExtension('x-roles', roles),
  );
}

Access.public = () =>
  applyDecorators(
    SetMetadata(ACCESS, { kind: 'public' } satisfies AccessRule),
    ApiExtension('x-roles', ['anyone']),
  );
Access.signedIn = () => Access('admin', 'client', 'guest', 'viewer');
/** Those who may look at everything. */
Access.readers = () => Access('admin', 'client', 'viewer');
