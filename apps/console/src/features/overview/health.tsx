'use client';

import { useQuery } from '@tanstack/react-query';
import { api, bodyOf } from '../../api/client';
import { inWords } from '../../api/problem';
import { useSession } from '../../session/session-context';
import { State } from '../../ui/state';
import type { Tone } from '../../ui/state';
import { Time } from '../../ui/time';
import { CONNECTION_WORDS } from '../connection/connection-badge';
import type { ConnectionState } from '../connection/live-connection';
import { useConnectionState } from '../connection/live-provider';
import styles from './overview.module.css';

const CONNECTION_TONES: Record<ConnectionState, Tone> = {
  connecting: 'wait',
  live: 'good',
  reconnecting: 'wait',
  offline: 'bad',
  'signed-out': 'bad',
};

/** Whether what one looks at can be trusted: the way to the API and its database, and who one is to it. */
export function Health() {
  const { user } = useSession();
  const connection = useConnectionState();
  const { data, error } = useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }) => {
      const began = performance.now();
      // The session is looked up in the database, so an answer speaks for both.
      const session = await bodyOf(api.GET('/api/auth/me', { signal }));
      return { session, milliseconds: Math.round(performance.now() - began) };
    },
    refetchInterval: 15_000,
    retry: false,
  });
  return (
    <section className={styles.panel} aria-labelledby="health">
      <h2 id="health">Health</h2>
      <dl className={styles.facts}>
        <div>
          <dt>API and database</dt>
          <dd>
            {error ? (
              <span title={inWords(error)}>
                <State tone="bad">Away</State>
              </span>
            ) : (
              <State tone={data ? 'good' : 'wait'}>
                {data ? `Answers in ${data.milliseconds} ms` : 'Asking'}
              </State>
            )}
          </dd>
        </div>
        <div>
          <dt>Live updates</dt>
          <dd>
            <State tone={CONNECTION_TONES[connection]}>{CONNECTION_WORDS[connection].label}</State>
          </dd>
        </div>
        <div>
          <dt>Signed in as</dt>
          <dd>
            {user.username} ({user.role})
          </dd>
        </div>
        <div>
          <dt>Session ends</dt>
          <dd>
            <Time at={data?.session.expiresAt} />
          </dd>
        </div>
      </dl>
    </section>
  );
}
