'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import Link from 'next/link';
import { api, bodyOf } from '../../api/client';
import { inWords } from '../../api/problem';
import type { SystemEvent } from '../../api/records';
import { EmptyState } from '../../ui/empty-state';
import { Time } from '../../ui/time';
import { useLiveEvents } from '../connection/live-provider';
import { eventWords } from './event-words';
import styles from './latest-events.module.css';
import { Severity } from './severity';

const SHOWN = 12;
const QUERY_KEY = ['latest-events'];

/** The newest events, as they come. */
export function LatestEvents() {
  const queries = useQueryClient();
  const { data: events, error } = useQuery({
    queryKey: QUERY_KEY,
    queryFn: async ({ signal }) => {
      const page = await bodyOf(api.GET('/api/events', { params: { query: { limit: SHOWN } }, signal }));
      return page.items;
    },
  });
  useLiveEvents((event) => {
    queries.setQueryData<SystemEvent[]>(QUERY_KEY, (shown = []) =>
      shown.some(({ seq }) => seq === event.seq) ? shown : [event, ...shown].slice(0, SHOWN),
    );
  });

  return (
    <section className={styles.panel} aria-labelledby="latest-events">
      <div className={styles.head}>
        <h2 id="latest-events">Latest events</h2>
        <Link href="/events" prefetch={false}>
          All events
        </Link>
      </div>
      {error && !events && <EmptyState title="Events cannot be shown">{inWords(error)}</EmptyState>}
      {events?.length === 0 && <EmptyState title="Nothing has happened yet" />}
      <ol className={styles.events}>
        {events?.map((event) => (
          <li key={event.eventId}>
            <span className={styles.when}>
              <Time at={event.timestamp} />
            </span>
            <Severity of={event.severity} />
            <span className={styles.what} title={event.description}>
              <strong>{eventWords(event.eventType)}</strong> {event.description}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
