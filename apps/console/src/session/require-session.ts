import 'server-only';
import { headers } from 'next/headers';
import { forbidden, redirect } from 'next/navigation';
import { cache } from 'react';
import type { Role, Session } from '../api/records';
import { FORWARDED_HEADERS, PATH_HEADER } from '../request-headers';
import { ApiAwayError } from './api-away';
import { signInPath } from './return-path';

type Answer = { state: 'signed-in'; session: Session } | { state: 'signed-out' } | { state: 'away' };

/**
 * Who is asking, or nowhere to go on from here: whoever is not signed in is sent to the sign-in page, and
 * whoever lacks the role is told so. Every page and route calls this itself, because a check that stands only
 * in front of them can be walked around.
 */
export async function requireSession(role?: Role): Promise<Session> {
  const answer = await askWho();
  if (answer.state === 'away') throw new ApiAwayError();
  if (answer.state === 'signed-out') redirect(signInPath((await headers()).get(PATH_HEADER)));
  if (role && answer.session.user.role !== role) forbidden();
  return answer.session;
}

/** Asks the API once per request, however many layouts and pages want to know. */
export const askWho = cache(async (): Promise<Answer> => {
  const incoming = await headers();
  const cookie = incoming.get('cookie');
  if (!cookie) return { state: 'signed-out' };
  try {
    const answer = await fetch(new URL('/api/auth/me', process.env.MUSTER_API_URL), {
      headers: { cookie, ...callerOf(incoming) },
      cache: 'no-store',
      signal: AbortSignal.timeout(5_000),
    });
    if (answer.ok) return { state: 'signed-in', session: (await answer.json()) as Session };
    return { state: answer.status === 401 ? 'signed-out' : 'away' };
  } catch {
    return { state: 'away' };
  }
});

/** Without these the API would look for the cookie of another scheme, and count the console as the caller. */
function callerOf(incoming: Headers): Record<string, string> {
  return Object.fromEntries(FORWARDED_HEADERS.map((name) => [name, incoming.get(name) ?? '']));
}
