'use client';

import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client';
import { useCursorList } from '../../api/cursor-list';
import type { SystemEvent } from '../../api/records';
import { EmptyState } from '../../ui/empty-state';
import { FilterBar, useFilter } from '../../ui/filter-bar';
import { PageHeader } from '../../ui/page-header';
import { RecordTable } from '../../ui/record-table';
import type { Column } from '../../ui/record-table';
import { Time } from '../../ui/time';
import { useLiveEvents } from '../connection/live-provider';
import { eventWords } from './event-words';
import styles from './events-list.module.css';
import { SEVERITIES, Severity } from './severity';

const COLUMNS: Column<SystemEvent>[] = [
  { header: 'When', cell: ({ timestamp }) => <Time at={timestamp} /> },
  { header: 'Severity', cell: ({ severity }) => <Severity of={severity} /> },
  { header: 'Event', cell: ({ eventType }) => <span className={styles.type}>{eventWords(eventType)}</span> },
  { header: 'What happened', cell: ({ description }) => description, grow: true },
  { header: 'By', cell: ({ actor }) => actor, cut: true, wideOnly: true },
];

export function EventsList() {
  const [severity, setSeverity] = useFilter('severity', SEVERITIES);
  const list = useCursorList(['events', { severity }], (cursor, signal) =>
    bodyOf(api.GET('/api/events', { params: { query: { severity, cursor } }, signal })),
  );
  return (
    <>
      <PageHeader title="Events" lead="The audit trail: what happened, to what, and who or what did it." />
      <FilterBar label="Severity" options={SEVERITIES} chosen={severity} onChoose={setSeverity} />
      <NewEvents key={severity} severity={severity} />
      <RecordTable
        label="Events"
        list={list}
        columns={COLUMNS}
        keyOf={({ eventId }) => eventId}
        empty={<EmptyState title={severity ? 'No event of this severity' : 'Nothing has happened yet'} />}
      />
    </>
  );
}

/** New events wait to be asked for, instead of moving what is being read. */
function NewEvents({ severity }: { severity: SystemEvent['severity'] | undefined }) {
  const queries = useQueryClient();
  const [count, setCount] = useState(0);
  useLiveEvents((event) => {
    if (!severity || event.severity === severity) setCount((before) => before + 1);
  });

  async function show(): Promise<void> {
    setCount(0);
    await queries.resetQueries({ queryKey: ['events', { severity }] });
  }
  return (
    <span role="status" className={styles.news}>
      {count > 0 && (
        <Button size="compact-sm" variant="light" onClick={() => void show()}>
          Show {count} new
        </Button>
      )}
    </span>
  );
}
