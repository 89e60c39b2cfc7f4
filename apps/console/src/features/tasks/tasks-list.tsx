'use client';

import { api, bodyOf } from '../../api/client';
import { useCursorList } from '../../api/cursor-list';
import type { Task } from '../../api/records';
import { EmptyState } from '../../ui/empty-state';
import { FilterBar, useFilter } from '../../ui/filter-bar';
import type { FilterOption } from '../../ui/filter-bar';
import { PageHeader } from '../../ui/page-header';
import { RecordId } from '../../ui/record-id';
import { RecordTable } from '../../ui/record-table';
import type { Column } from '../../ui/record-table';
import { StateOf } from '../../ui/state';
import type { StateOption } from '../../ui/state';
import { Time } from '../../ui/time';

const STATUS: StateOption<Task['status']>[] = [
  { value: 'queued', label: 'Queued', tone: 'wait' },
  { value: 'pending', label: 'Pending', tone: 'wait' },
  { value: 'accepted', label: 'Accepted', tone: 'busy' },
  { value: 'completed', label: 'Completed', tone: 'good' },
  { value: 'failed', label: 'Failed', tone: 'bad' },
  { value: 'obsolete', label: 'Obsolete', tone: 'rest' },
];

const TYPE: FilterOption<Task['taskType']>[] = [
  { value: 'start_calculation', label: 'Start' },
  { value: 'stop_calculation', label: 'Stop' },
];

/** Until when the manager must act next, if it must. */
function nextDeadline(task: Task): string | null | undefined {
  if (task.status === 'pending') return task.acceptanceDeadlineAt;
  return task.status === 'accepted' ? task.executionDeadlineAt : null;
}

const COLUMNS: Column<Task>[] = [
  { header: 'Task', cell: ({ taskId }) => <RecordId id={taskId} of="task" /> },
  { header: 'Type', cell: ({ taskType }) => (taskType === 'start_calculation' ? 'Start' : 'Stop') },
  { header: 'State', cell: ({ status }) => <StateOf options={STATUS} value={status} /> },
  { header: 'Schedule', cell: ({ scheduleId }) => <RecordId id={scheduleId} of="schedule" /> },
  { header: 'Manager', cell: ({ assignedManagerId }) => <RecordId id={assignedManagerId} of="manager" /> },
  {
    header: 'Remarks',
    cell: ({ errorMessage, statusReason }) => errorMessage ?? statusReason ?? '',
    grow: true,
  },
  { header: 'Deadline', cell: (task) => <Time at={nextDeadline(task)} />, wideOnly: true },
  { header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

export function TasksList() {
  const [status, setStatus] = useFilter('status', STATUS);
  const [taskType, setTaskType] = useFilter('type', TYPE);
  const list = useCursorList(['tasks', { status, taskType }], (cursor, signal) =>
    bodyOf(api.GET('/api/tasks', { params: { query: { status, taskType, cursor } }, signal })),
  );
  return (
    <>
      <PageHeader title="Tasks" lead="Commands to managers: start a calculation, or stop it." />
      <FilterBar label="Status" options={STATUS} chosen={status} onChoose={setStatus} />
      <FilterBar label="Type" options={TYPE} chosen={taskType} onChoose={setTaskType} />
      <RecordTable
        label="Tasks"
        list={list}
        columns={COLUMNS}
        keyOf={({ taskId }) => taskId}
        empty={
          status || taskType ? (
            <EmptyState title="No task matches">Choose another filter to see more of them.</EmptyState>
          ) : (
            <EmptyState title="There are no tasks yet">
              Starting or stopping a calculation makes one, and it shows here how far it has come.
            </EmptyState>
          )
        }
      />
    </>
  );
}
