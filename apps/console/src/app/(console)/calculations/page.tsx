import type { Metadata } from 'next';
import { CalculationsList } from '../../../features/calculations/calculations-list';
import { requireSession } from '../../../session/require-session';

export const metadata: Metadata = { title: 'Calculations' };

export default async function CalculationsPage() {
  await requireSession();
  return <CalculationsList />;
}
