'use client';

import { createContext, use } from 'react';
import type { ReactNode } from 'react';
import type { Session } from '../api/records';

const SessionContext = createContext<Session | null>(null);

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession needs a SessionProvider above it.');
  return session;
}

/** Whether to offer what only an admin may do. The server decides again, whatever is offered. */
export function useIsAdmin(): boolean {
  return useSession().user.role === 'admin';
}
