import type { Metadata } from 'next';
import { Overview } from '../../features/overview/overview';
import { requireSession } from '../../session/require-session';

export const metadata: Metadata = { title: 'Overview' };

export default async function OverviewPage() {
  await requireSession();
  return <Overview />;
}
