'use client';

import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { api, bodyOf } from '../../api/client';
import type { Page } from '../../api/cursor-list';
import styles from './overview.module.css';

const AT_MOST = 100;

interface FleetNumber {
  label: string;
  href: string;
  /** The list whose changes change the number. */
  list: 'managers' | 'calculations' | 'tasks';
  read: (signal: AbortSignal) => Promise<Page<unknown>>;
}

const limit = AT_MOST;
const NUMBERS: FleetNumber[] = [
  {
    label: 'Managers online',
    href: '/managers?status=online',
    list: 'managers',
    read: (signal) =>
      bodyOf(api.GET('/api/managers', { params: { query: { status: 'online', limit } }, signal })),
  },
  {
    label: 'Managers waiting for approval',
    href: '/managers?registration=pending',
    list: 'managers',
    read: (signal) =>
      bodyOf(
        api.GET('/api/managers', { params: { query: { registrationStatus: 'pending', limit } }, signal }),
      ),
  },
  {
    label: 'Calculations running',
    href: '/calculations?status=running',
    list: 'calculations',
    read: (signal) =>
      bodyOf(api.GET('/api/schedules', { params: { query: { status: 'running', limit } }, signal })),
  },
  {
    label: 'Tasks queued',
    href: '/tasks?status=queued',
    list: 'tasks',
    read: (signal) =>
      bodyOf(api.GET('/api/tasks', { params: { query: { status: 'queued', limit } }, signal })),
  },
];

/** What matters at a glance, each number a way to what it counts. */
export function FleetNumbers() {
  return (
    <ul className={styles.numbers}>
      {NUMBERS.map((number) => (
        <li key={number.href}>
          <NumberTile number={number} />
        </li>
      ))}
    </ul>
  );
}

function NumberTile({ number: { label, href, list, read } }: { number: FleetNumber }) {
  const { data, isPending } = useQuery({
    queryKey: [list, 'count', href],
    queryFn: async ({ signal }) => {
      const page = await read(signal);
      // Counting a long list is the server's business; here "many" is enough.
      return page.nextCursor ? `${AT_MOST}+` : String(page.items.length);
    },
  });
  return (
    <Link href={href} prefetch={false} className={styles.number}>
      <strong>{isPending ? <Skeleton height={22} width={36} mt={6} /> : (data ?? '–')}</strong>
      {label}
    </Link>
  );
}
