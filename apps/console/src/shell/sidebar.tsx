'use client';

import { Tooltip } from '@mantine/core';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useIsAdmin } from '../session/session-context';
import { Logo } from './logo';
import { ADMIN_GROUPS, NAVIGATION, NAVIGATION_GROUPS, isCurrent } from './navigation';
import type { NavigationEntry } from './navigation';
import styles from './sidebar.module.css';

export function Brand() {
  return (
    <Link href="/" className={styles.brand} prefetch={false}>
      <Logo />
      Muster
    </Link>
  );
}

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const isAdmin = useIsAdmin();
  const pathname = usePathname();
  const groups = NAVIGATION_GROUPS.filter((group) => isAdmin || !ADMIN_GROUPS.has(group));
  return (
    <nav aria-label="Main" className={styles.navigation}>
      {groups.map((group) => (
        <div key={group} className={styles.group}>
          {group && <p className={styles.heading}>{group}</p>}
          <ul>
            {NAVIGATION.filter((entry) => entry.group === group).map((entry) => (
              <li key={entry.href}>
                {entry.planned ? (
                  <PlannedEntry entry={entry} />
                ) : (
                  <Link
                    href={entry.href}
                    prefetch={false}
                    className={styles.entry}
                    aria-current={isCurrent(entry.href, pathname) ? 'page' : undefined}
                    onClick={onNavigate}
                  >
                    <entry.icon size={17} stroke={1.6} aria-hidden />
                    {entry.label}
                  </Link>
                )}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function PlannedEntry({ entry }: { entry: NavigationEntry }) {
  return (
    <Tooltip
      label="Not in this version yet"
      position="right"
      events={{ hover: true, focus: true, touch: true }}
    >
      <span className={styles.entry} role="link" aria-disabled="true" tabIndex={0}>
        <entry.icon size={17} stroke={1.6} aria-hidden />
        {entry.label}
      </span>
    </Tooltip>
  );
}
