import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { PlainText } from '../../ui/rich-text.tsx';
import styles from './webmentions.module.css';

/** How their page read when Porchlight read it last; nothing where it never did. `read`: when that was. */
export function Snapshot({ id, read }: { id: string; read: string }): ReactElement | null {
  const { title = '', text = '', shortened } = useAnswer('webmentions.get', { id }).data?.snapshot ?? {};
  if (title === '' && text === '') return null;
  return (
    <details>
      <summary>Their page, as it was read</summary>
      <Text size="xs" c="dimmed">
        Read <Ago at={read} />
      </Text>
      {title !== '' && (
        <Text fw={600}>
          <Foreign text={title} />
        </Text>
      )}
      <PlainText text={text} className={styles.said ?? ''} />
      {shortened === true && (
        <Text size="xs" c="dimmed">
          Only the beginning of their page was kept.
        </Text>
      )}
    </details>
  );
}
