'use client';

import { api, bodyOf } from '../../api/client';
import { useCursorList } from '../../api/cursor-list';
import type { Calculation } from '../../api/records';
import { EmptyState } from '../../ui/empty-state';
import { FilterBar, useFilter } from '../../ui/filter-bar';
import { PageHeader } from '../../ui/page-header';
import { RecordId } from '../../ui/record-id';
import { RecordTable } from '../../ui/record-table';
import type { Column } from '../../ui/record-table';
import { StateOf } from '../../ui/state';
import type { StateOption } from '../../ui/state';
import { Time } from '../../ui/time';

const STATUS: StateOption<Calculation['status']>[] = [
  { value: 'pending', label: 'Pending', tone: 'wait' },
  { value: 'running', label: 'Running', tone: 'busy' },
  { value: 'completed', label: 'Completed', tone: 'good' },
  { value: 'failed', label: 'Failed', tone: 'bad' },
  { value: 'stopped', label: 'Stopped', tone: 'rest' },
];

const COLUMNS: Column<Calculation>[] = [
  { header: 'Schedule', cell: ({ scheduleId }) => <RecordId id={scheduleId} of="schedule" /> },
  { header: 'State', cell: ({ status }) => <StateOf options={STATUS} value={status} /> },
  { header: 'Run', cell: ({ generation }) => generation, align: 'right' },
  { header: 'Cores', cell: ({ allocatedCores }) => allocatedCores ?? '–', align: 'right' },
  { header: 'Manager', cell: ({ assignedManagerId }) => <RecordId id={assignedManagerId} of="manager" /> },
  {
    header: 'Remarks',
    cell: ({ errorMessage, statusReason }) => errorMessage ?? statusReason ?? '',
    grow: true,
  },
  { header: 'Started', cell: ({ startedAt }) => <Time at={startedAt} absent="not yet" /> },
  { header: 'Ended', cell: ({ completedAt }) => <Time at={completedAt} />, wideOnly: true },
];

export function CalculationsList() {
  const [status, setStatus] = useFilter('status', STATUS);
  const list = useCursorList(['calculations', { status }], (cursor, signal) =>
    bodyOf(api.GET('/api/schedules', { params: { query: { status, cursor } }, signal })),
  );
  return (
    <>
      <PageHeader
        title="Calculations"
        lead="Each schedule with its present run. Earlier runs stay in its history."
      />
      <FilterBar label="Status" options={STATUS} chosen={status} onChoose={setStatus} />
      <RecordTable
        label="Calculations"
        list={list}
        columns={COLUMNS}
        keyOf={({ scheduleId }) => scheduleId}
        empty={
          status ? (
            <EmptyState title="No calculation is in this state" />
          ) : (
            <EmptyState title="Nothing has been calculated yet">
              A client starts a calculation with <code>POST /send-start-calculation</code>. The{' '}
              <a href="/api/docs" target="_blank" rel="noreferrer">
                API description
              </a>{' '}
              shows how.
            </EmptyState>
          )
        }
      />
    </>
  );
}
