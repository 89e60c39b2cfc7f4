'use client';

import { useSession } from '../../session/session-context';
import { PageHeader } from '../../ui/page-header';
import { LatestEvents } from '../events/latest-events';
import { FirstRun } from './first-run';
import { FleetNumbers } from './fleet-numbers';
import { Health } from './health';
import styles from './overview.module.css';

export function Overview() {
  const { user } = useSession();
  return (
    <>
      <PageHeader title="Overview" lead={`Welcome, ${user.username}. This is what goes on right now.`} />
      <FirstRun />
      <FleetNumbers />
      <div className={styles.columns}>
        <LatestEvents />
        <Health />
      </div>
    </>
  );
}
