import type { Metadata } from 'next';
import { UsersSettings } from '../../../../features/users/users-settings';
import { requireSession } from '../../../../session/require-session';

export const metadata: Metadata = { title: 'Users' };

export default async function UsersPage() {
  await requireSession('admin');
  return <UsersSettings />;
}
