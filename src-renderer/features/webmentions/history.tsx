import type { ReactElement } from 'react';
import type { MentionEvent } from '../../../src-main/contract/webmentions.ts';
import { useAnswer } from '../../client/queries.ts';
import { Ago } from '../../ui/moment.tsx';
import styles from './webmentions.module.css';

const words: Record<MentionEvent['what'], string> = {
  received: 'Received',
  imported: 'Imported from webmention.io',
  updated: 'Changed by its source',
  approved: 'Approved by you',
  held: 'Set back to waiting by you',
  hidden: 'Hidden by you',
  deleted: 'Deleted by you',
  restored: 'Brought back by you',
  removed: 'Removed by its source',
  dropped: 'No longer listed where it was imported from',
};

/** What happened to a mention, the last first; nothing where it only came. */
export function History({ id }: { id: string }): ReactElement | null {
  const history = useAnswer('webmentions.get', { id }).data?.history ?? [];
  if (history.length < 2) return null;
  return (
    <details>
      <summary>What happened to it</summary>
      <ol className={styles.history} reversed>
        {history.toReversed().map(({ at, what }, index) => (
          <li key={history.length - index}>
            <span>{words[what]}</span>
            <Ago at={at} />
          </li>
        ))}
      </ol>
    </details>
  );
}
