import type { ReactElement } from 'react';
import styles from './drawing.module.css';

/** Each drawing: lines, and what the porch light makes warm. */
const drawings = {
  /** The porch light over a door: nobody waits, nothing happened. */
  door: {
    lines: ['M34 66V31h32v35', 'M26 66h48', 'M50 8v6', 'M44 14h12l3 8H41z'],
    warm: ['M59 49h1', 'M43 22h14'],
  },
  /** A sheet with a pen: nothing is written yet. */
  page: {
    lines: ['M30 10h28l12 12v44H30z', 'M58 10v12h12', 'M38 32h16', 'M38 42h24'],
    warm: ['M38 54h10', 'M76 40l-20 20 -2 6 6 -2 20 -20z'],
  },
  /** Two bubbles: nobody has mentioned the site. */
  talk: {
    lines: ['M16 14h40a4 4 0 0 1 4 4v20a4 4 0 0 1 -4 4H34l-10 9v-9h-8a4 4 0 0 1 -4 -4V18a4 4 0 0 1 4 -4z'],
    warm: ['M68 30h14a4 4 0 0 1 4 4v18a4 4 0 0 1 -4 4h-4v8l-9 -8H52a4 4 0 0 1 -4 -4v-2'],
  },
  /** A landscape in a frame: no pictures. */
  picture: {
    lines: ['M18 14h64v48H18z', 'M18 54l20 -18 16 15 10 -8 18 14'],
    warm: ['M64 26a5 5 0 1 0 10 0a5 5 0 1 0 -10 0'],
  },
  /** A key: no apps. */
  key: {
    lines: ['M20 38a14 14 0 1 0 28 0a14 14 0 1 0 -28 0', 'M48 38h36', 'M84 38v10', 'M72 38v7'],
    warm: ['M31 38a3 3 0 1 0 6 0a3 3 0 1 0 -6 0'],
  },
  /** A looking glass: nothing matches. */
  search: {
    lines: ['M26 32a20 20 0 1 0 40 0a20 20 0 1 0 -40 0', 'M60 47l18 18'],
    warm: ['M36 32a10 10 0 0 1 10 -10'],
  },
  /** A box: nothing to keep or bring. */
  box: { lines: ['M22 26h56v38H22z', 'M18 14h64v12H18z'], warm: ['M42 38h16'] },
} as const;

export type DrawingName = keyof typeof drawings;

/** Draws the picture of an empty state. Decoration: words stand below it. */
export function Drawing({ name }: { name: DrawingName }): ReactElement {
  const { lines, warm } = drawings[name];
  return (
    <svg className={styles.drawing} width="100" height="76" viewBox="0 0 100 76" aria-hidden="true">
      <ellipse className={styles.ground} cx="50" cy="40" rx="48" ry="34" />
      {lines.map((d) => (
        <path key={d} className={styles.line} d={d} />
      ))}
      {warm.map((d) => (
        <path key={d} className={styles.warm} d={d} />
      ))}
    </svg>
  );
}
