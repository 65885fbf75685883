import type { ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { PlainText, RichText } from '../../ui/rich-text.tsx';
import styles from './webmentions.module.css';

/** What a mention says: its HTML, sanitized by the service, or its text. */
export function Content({ mention }: { mention: MentionRecord }): ReactElement | null {
  const { html = '', value = '' } = mention.content ?? {};
  if (html.trim() !== '') return <RichText html={html} className={styles.said ?? ''} />;
  if (value.trim() !== '') return <PlainText text={value} className={styles.said ?? ''} />;
  return null;
}
