import type { Metadata } from 'next';
import { ApiKeysSettings } from '../../../../features/api-keys/api-keys-settings';
import { requireSession } from '../../../../session/require-session';

export const metadata: Metadata = { title: 'API keys' };

export default async function ApiKeysPage() {
  await requireSession('admin');
  return <ApiKeysSettings />;
}
