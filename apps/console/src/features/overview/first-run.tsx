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
      <h2 id="first-run">Muster is up. What you can do first:</h2>
      <ol>
        <li>
          {isAdmin ? (
            <>
              Give everybody a sign-in of their own under <Link href="/settings/users">Users</Link>
            </>
          ) : (
            'Ask an admin for a sign-in of your own'
          )}
          : what anybody does is recorded under their name.
        </li>
        <li>
          {isAdmin ? (
            <>
              Make an <Link href="/settings/api-keys">API key</Link>
            </>
          ) : (
            'Ask an admin for an API key'
          )}{' '}
          for each program; the{' '}
          <a href="/api/docs" target="_blank" rel="noreferrer">
            API description
          </a>{' '}
          shows what it can call.
        </li>
        <li>
          Watch what happens under <Link href="/events">Events</Link>.
        </li>
      </ol>
    </section>
  );
}
