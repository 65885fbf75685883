import type { ReactElement } from 'react';
import styles from './shared.module.css';

/** Draws the porch light. Decoration: words beside it name its state. */
export function Lamp({ lit, size = 72 }: { lit: boolean; size?: number }): ReactElement {
  return (
    <svg
      className={lit ? `${styles.lamp} ${styles.lampLit}` : styles.lamp}
      width={size}
      height={size}
      viewBox="0 0 72 72"
      aria-hidden="true"
    >
      <circle className={styles.glow} cx="36" cy="38" r="34" />
      <circle className={styles.glow} cx="36" cy="38" r="25" />
      <path
        className={styles.frame}
        d="M36 6v8M28 14h16M25 20h22l-3-6H28zM25 20l-4 30h30l-4-30M24 54h24M21 50h30v4H21z"
      />
      <path className={styles.glass} d="M27.5 23h17l3.2 24H24.3z" />
      <ellipse className={styles.flame} cx="36" cy="38" rx="4.5" ry="7" />
    </svg>
  );
}
