import type { Metadata } from 'next';
import { TasksList } from '../../../features/tasks/tasks-list';
import { requireSession } from '../../../session/require-session';

export const metadata: Metadata = { title: 'Tasks' };

export default async function TasksPage() {
  await requireSession();
  return <TasksList />;
}
