import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { PlainText, RichText } from '../../ui/rich-text.tsx';
import { openedWords } from './words.ts';
import styles from './webmentions.module.css';

/** The text of a mention: its HTML, which the service sanitized, or its plain text. */
export function Content({ mention }: { mention: MentionRecord }): ReactElement | null {
  const { html = '', value = '' } = mention.content ?? {};
  return (
    <>
      {html.trim() !== '' ? (
        <RichText html={html} className={styles.said ?? ''} />
      ) : (
        value.trim() !== '' && <PlainText text={value} className={styles.said ?? ''} />
      )}
      {mention.shortened !== undefined && (
        <Text size="xs" c="dimmed">
          {openedWords.shortened}
        </Text>
      )}
    </>
  );
}
