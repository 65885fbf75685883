import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { PlainText } from '../../ui/rich-text.tsx';
import { openedWords } from './words.ts';
import styles from './webmentions.module.css';

/** The text of their page when Porchlight last read it. Shows nothing if it never did. `read`: when that was. */
export function Snapshot({ id, read }: { id: string; read: string }): ReactElement | null {
  const { title = '', text = '', shortened } = useAnswer('webmentions.get', { id }).data?.snapshot ?? {};
  if (title === '' && text === '') return null;
  return (
    <details>
      <summary>{openedWords.snapshot}</summary>
      <Text size="xs" c="dimmed">
        {openedWords.read} <Ago at={read} />
      </Text>
      {title !== '' && (
        <Text fw={600}>
          <Foreign text={title} />
        </Text>
      )}
      <PlainText text={text} className={styles.said ?? ''} />
      {shortened === true && (
        <Text size="xs" c="dimmed">
          {openedWords.snapshotShortened}
        </Text>
      )}
    </details>
  );
}
