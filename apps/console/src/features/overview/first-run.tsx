'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { api, bodyOf } from '../../api/client';
import { useIsAdmin } from '../../session/session-context';
import styles from './overview.module.css';

/** What to do first, as long as no manager has ever called in. */
export function FirstRun() {
  const isAdmin = useIsAdmin();
  const { data: isFirstRun } = useQuery({
    queryKey: ['managers', 'any'],
    queryFn: async ({ signal }) => {
      const page = await bodyOf(api.GET('/api/managers', { params: { query: { limit: 1 } }, signal }));
      return page.items.length === 0;
    },
  });
  if (!isFirstRun) return null;
  return (
    <section className={styles.firstRun} aria-labelledby="first-run">
      <h2 id="first-run">Muster is up. Three steps to the first calculation:</h2>
      <ol>
        <li>
          Start a manager on a host that can reach this server, with <code>MUSTER_URL</code> set to its
          address. It calls in by itself and shows up under <Link href="/managers">Managers</Link>.
        </li>
        <li>
          Compare its fingerprint with the one that the agent prints, and have{' '}
          {isAdmin ? 'it approved' : 'an admin approve it'}.
        </li>
        <li>
          {isAdmin ? (
            <>
              Make an <Link href="/settings/api-keys">API key</Link> with the role client
            </>
          ) : (
            'Ask an admin for an API key with the role client'
          )}{' '}
          and send <code>POST /send-start-calculation</code>; the{' '}
          <a href="/api/docs" target="_blank" rel="noreferrer">
            API description
          </a>{' '}
          shows how.
        </li>
      </ol>
    </section>
  );
}
