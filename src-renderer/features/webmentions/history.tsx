import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { Ago } from '../../ui/moment.tsx';
import { historyWords, openedWords } from './words.ts';
import styles from './webmentions.module.css';

/** What happened to a mention, newest first. Shows nothing where it was only received. */
export function MentionHistory({ id }: { id: string }): ReactElement | null {
  const history = useAnswer('webmentions.get', { id }).data?.history ?? [];
  if (history.length < 2) return null;
  return (
    <details>
      <summary>{openedWords.history}</summary>
      <ol className={styles.history} reversed>
        {history.toReversed().map(({ at, what }, index) => (
          <li key={history.length - index}>
            <span>{historyWords[what]}</span>
            <Ago at={at} />
          </li>
        ))}
      </ol>
    </details>
  );
}
