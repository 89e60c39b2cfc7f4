import type { Metadata } from 'next';
import { EventsList } from '../../../features/events/events-list';
import { requireSession } from '../../../session/require-session';

export const metadata: Metadata = { title: 'Events' };

export default async function EventsPage() {
  await requireSession();
  return <EventsList />;
}
