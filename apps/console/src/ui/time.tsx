'use client';

import { useNow } from './clock';
import { relativeTime } from './relative-time';

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** When something was or will be, in words; the exact local and UTC time on hovering. */
export function Time({ at, absent = '–' }: { at: string | null | undefined; absent?: string }) {
  const now = useNow();
  if (!at) return <span>{absent}</span>;
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={`${exact.format(time)} local\n${at} UTC`} style={{ whiteSpace: 'nowrap' }}>
      {relativeTime(time, now)}
    </time>
  );
}
