import { NextResponse } from 'next/server';
import type { NextRequest } from 'next/server';
import { contentSecurityPolicy } from './content-security-policy';
import { NONCE_HEADER, PATH_HEADER } from './request-headers';

/**
 * Gives each answer its own nonce, and tells the pages which one and under which address they are asked for.
 * Who may see a page is not decided here but in the page itself (session/require-session.ts).
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString('base64');
  const policy = contentSecurityPolicy(nonce, process.env.NODE_ENV === 'development');

  const headers = new Headers(request.headers);
  headers.set(NONCE_HEADER, nonce);
  headers.set(PATH_HEADER, request.nextUrl.pathname + request.nextUrl.search);
  // Next reads the nonce for its own scripts from here.
  headers.set('content-security-policy', policy);

  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  return response;
}

export const config = { matcher: '/((?!_next/static/|icon.svg).*)' };
