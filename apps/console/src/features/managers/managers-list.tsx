'use client';

import { api, bodyOf } from '../../api/client';
import { useCursorList } from '../../api/cursor-list';
import type { Manager } from '../../api/records';
import { EmptyState } from '../../ui/empty-state';
import { FilterBar, useFilter } from '../../ui/filter-bar';
import type { FilterOption } from '../../ui/filter-bar';
import { PageHeader } from '../../ui/page-header';
import { RecordTable } from '../../ui/record-table';
import type { Column } from '../../ui/record-table';
import { Time } from '../../ui/time';
import { CoresBar } from './cores-bar';
import { ManagerState } from './manager-state';

const STATUS: FilterOption<Manager['status']>[] = [
  { value: 'online', label: 'Online' },
  { value: 'offline', label: 'Offline' },
];

const REGISTRATION: FilterOption<Manager['registrationStatus']>[] = [
  { value: 'pending', label: 'Waiting for approval' },
  { value: 'approved', label: 'Approved' },
  { value: 'rejected', label: 'Rejected' },
];

const COLUMNS: Column<Manager>[] = [
  { header: 'Manager', cell: (manager) => manager.managerName, grow: true },
  { header: 'State', cell: (manager) => <ManagerState manager={manager} /> },
  { header: 'Host', cell: (manager) => manager.hostAddress ?? '–', wideOnly: true },
  {
    header: 'Cores in use',
    cell: (manager) => <CoresBar used={manager.usedCores} total={manager.totalCores} />,
  },
  { header: 'Agent', cell: (manager) => manager.agentVersion ?? '–', wideOnly: true },
  { header: 'Last seen', cell: (manager) => <Time at={manager.lastSeen} absent="never" /> },
];

export function ManagersList() {
  const [status, setStatus] = useFilter('status', STATUS);
  const [registrationStatus, setRegistration] = useFilter('registration', REGISTRATION);
  const list = useCursorList(['managers', { status, registrationStatus }], (cursor, signal) =>
    bodyOf(api.GET('/api/managers', { params: { query: { status, registrationStatus, cursor } }, signal })),
  );
  const filtered = status !== undefined || registrationStatus !== undefined;
  return (
    <>
      <PageHeader
        title="Managers"
        lead="Agents on remote hosts that call in, pass muster and run calculations."
      />
      <FilterBar label="Status" options={STATUS} chosen={status} onChoose={setStatus} />
      <FilterBar
        label="Registration"
        options={REGISTRATION}
        chosen={registrationStatus}
        onChoose={setRegistration}
      />
      <RecordTable
        label="Managers"
        list={list}
        columns={COLUMNS}
        keyOf={(manager) => manager.managerId}
        empty={
          filtered ? (
            <EmptyState title="No manager matches">Choose another filter to see more of them.</EmptyState>
          ) : (
            <EmptyState title="No manager has called in yet">
              Managers appear here when they are registered. Agents that call in by themselves come with a
              later version.
            </EmptyState>
          )
        }
      />
    </>
  );
}
