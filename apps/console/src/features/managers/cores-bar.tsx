import styles from './cores-bar.module.css';

export function CoresBar({ used, total }: { used: number; total: number }) {
  return (
    <span className={styles.cores}>
      <span className={styles.track} aria-hidden>
        <span
          className={styles.fill}
          style={{ width: `${total > 0 ? (100 * Math.min(used, total)) / total : 0}%` }}
        />
      </span>
      {used} of {total}
    </span>
  );
}
