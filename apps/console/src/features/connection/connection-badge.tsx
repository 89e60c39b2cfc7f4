'use client';

import { Tooltip } from '@mantine/core';
import { useConnectionState } from './live-provider';
import type { ConnectionState } from './live-connection';
import styles from './connection-badge.module.css';

export const CONNECTION_WORDS: Record<ConnectionState, { label: string; meaning: string }> = {
  connecting: { label: 'Connecting', meaning: 'Waiting for the first answer of the server.' },
  live: { label: 'Live', meaning: 'Changes appear here as they happen.' },
  reconnecting: {
    label: 'Reconnecting',
    meaning: 'The connection was interrupted; what is missing will be read.',
  },
  offline: { label: 'Offline', meaning: 'What you see may be old. We keep trying to reach the server.' },
  'signed-out': { label: 'Signed out', meaning: 'Your session has ended. Sign in again.' },
};

export function ConnectionBadge() {
  const state = useConnectionState();
  const { label, meaning } = CONNECTION_WORDS[state];
  return (
    <Tooltip label={meaning} events={{ hover: true, focus: true, touch: true }}>
      <span
        className={styles.badge}
        data-state={state}
        role="status"
        tabIndex={0}
        aria-label={`Connection: ${label}`}
      >
        <span className={styles.dot} aria-hidden />
        {label}
      </span>
    </Tooltip>
  );
}
