import type { FastifyReply, FastifyRequest } from 'fastify';

export const COOKIE_NAME = 'muster_session';
const SECURE_NAME = `__Host-${COOKIE_NAME}`;

/** The browser's copy of the access token: out of reach for scripts, and never sent from another site. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  ttlSeconds: number,
): void {
  const secure = request.protocol === 'https';
  reply.setCookie(secure ? SECURE_NAME : COOKIE_NAME, token, { ...attributes(secure), maxAge: ttlSeconds });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  const secure = request.protocol === 'https';
  reply.clearCookie(secure ? SECURE_NAME : COOKIE_NAME, attributes(secure));
}

export function tokenFromCookies(
  cookies: Readonly<Record<string, string | undefined>>,
  secure: boolean,
): string | undefined {
  return secure ? cookies[SECURE_NAME] : cookies[COOKIE_NAME];
}

function attributes(secure: boolean) {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure } as const;
}
