import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { PlainText, RichText } from '../../ui/rich-text.tsx';
import styles from './webmentions.module.css';

/** What a mention says: its HTML, sanitized by the service, or its text. */
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
          This mention was too long to keep whole. Their page has the rest.
        </Text>
      )}
    </>
  );
}
