'use client';

import { Burger, Drawer } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { whenSignedOut } from '../api/client';
import type { Session } from '../api/records';
import { ConnectionBadge } from '../features/connection/connection-badge';
import { LiveProvider } from '../features/connection/live-provider';
import { signInPath } from '../session/return-path';
import { SessionProvider } from '../session/session-context';
import { AppearanceMenu } from './appearance-menu';
import { createQueryClient } from './query-client';
import styles from './shell.module.css';
import { Brand, Navigation } from './sidebar';
import { UserMenu } from './user-menu';

/** What surrounds every page of whoever is signed in. */
export function Shell({ session, children }: { session: Session; children: ReactNode }) {
  const [queries] = useState(createQueryClient);
  const [drawerOpen, setDrawerOpen] = useState(false);

  useEffect(() => {
    whenSignedOut(() =>
      window.location.assign(signInPath(window.location.pathname + window.location.search)),
    );
  }, []);

  return (
    <SessionProvider session={session}>
      <QueryClientProvider client={queries}>
        <ModalsProvider>
          <LiveProvider>
            <a href="#main" className={styles.skip}>
              Skip to content
            </a>
            <div className={styles.shell}>
              <aside className={styles.sidebar}>
                <div className={styles.brand}>
                  <Brand />
                </div>
                <Navigation />
              </aside>
              <div className={styles.body}>
                <header className={styles.header}>
                  <div className={styles.narrowOnly}>
                    <Burger
                      size="sm"
                      opened={drawerOpen}
                      onClick={() => setDrawerOpen(true)}
                      aria-label="Open navigation"
                    />
                    <Brand />
                  </div>
                  <div className={styles.tools}>
                    <ConnectionBadge />
                    <AppearanceMenu />
                    <UserMenu />
                  </div>
                </header>
                <main id="main" tabIndex={-1} className={styles.main}>
                  {children}
                </main>
              </div>
            </div>
            <Drawer
              opened={drawerOpen}
              onClose={() => setDrawerOpen(false)}
              title={<Brand />}
              size="264px"
              padding="sm"
              closeButtonProps={{ 'aria-label': 'Close navigation' }}
            >
              <Navigation onNavigate={() => setDrawerOpen(false)} />
            </Drawer>
            <Notifications position="bottom-right" />
          </LiveProvider>
        </ModalsProvider>
      </QueryClientProvider>
    </SessionProvider>
  );
}
