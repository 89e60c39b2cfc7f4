import type { Metadata } from 'next';
import { ManagersList } from '../../../features/managers/managers-list';
import { requireSession } from '../../../session/require-session';

export const metadata: Metadata = { title: 'Managers' };

export default async function ManagersPage() {
  await requireSession();
  return <ManagersList />;
}
