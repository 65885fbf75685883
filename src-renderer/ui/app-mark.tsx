import type { ReactElement } from 'react';
import styles from './look.module.css';
import { plainText } from './plain-text.ts';

interface Props {
  readonly name: string;
  /** A data: URL, or null. */
  readonly logo?: string | null;
  readonly large?: boolean;
}

/** An app's or person's picture, or the first letter where there is none. Decoration: the name stands beside it. */
export function AppMark({ name, logo = null, large = false }: Props): ReactElement {
  const className = large ? `${styles.mark} ${styles.markLarge}` : styles.mark;
  if (logo?.startsWith('data:image/')) return <img src={logo} alt="" className={className} />;
  return (
    <span aria-hidden="true" className={className}>
      {initial(name)}
    </span>
  );
}

function initial(name: string): string {
  const letter = /[\p{L}\p{N}]/u.exec(plainText(name))?.[0];
  return letter?.toLocaleUpperCase() ?? '?';
}
