import type { ReactElement } from 'react';
import shared from '../../ui/shared.module.css';
import { visibleAddress } from '../../ui/plain-text.ts';
import { pageName } from './naming.ts';

interface Props {
  readonly target: string;
  /** The title of the post; undefined if the page is none. */
  readonly title: string | undefined;
}

/** Names a page of the owner: its title, or its path. The address is shown on hover. */
export function PageName({ target, title }: Props): ReactElement {
  return (
    <bdi
      dir={title === undefined ? 'ltr' : undefined}
      title={visibleAddress(target)}
      className={shared.foreign}
    >
      {pageName(target, title)}
    </bdi>
  );
}
