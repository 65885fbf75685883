import type { ReactElement } from 'react';
import { initialOf } from './initial.ts';
import styles from './shared.module.css';

interface Props {
  readonly name: string;
  /** Whose host gives the initial where the name has none. */
  readonly address?: string;
  /** A data: URL, or null. */
  readonly logo?: string | null;
  readonly large?: boolean;
  /** True for people: their pictures are round, and fill the circle. */
  readonly round?: boolean;
}

/** An app's or person's picture, or an initial where there is none. Decoration: the name stands beside it. */
export function AppMark({ name, address, logo = null, large = false, round = false }: Props): ReactElement {
  const className = [styles.mark, large && styles.markLarge, round && styles.markRound]
    .filter(Boolean)
    .join(' ');
  if (logo?.startsWith('data:image/')) return <img src={logo} alt="" className={className} />;
  return (
    <span aria-hidden="true" className={className}>
      {initialOf(name, address)}
    </span>
  );
}
