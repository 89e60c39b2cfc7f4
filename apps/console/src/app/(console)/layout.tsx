import type { ReactNode } from 'react';
import { requireSession } from '../../session/require-session';
import { Shell } from '../../shell/shell';

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const session = await requireSession();
  return <Shell session={session}>{children}</Shell>;
}
