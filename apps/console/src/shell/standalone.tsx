import type { ReactNode } from 'react';
import { Logo } from './logo';
import styles from './standalone.module.css';

/** A page outside the shell: one card with our name on it. */
export function Standalone({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <Logo size={36} />
          <h1>{title}</h1>
        </div>
        {children}
      </div>
    </main>
  );
}
