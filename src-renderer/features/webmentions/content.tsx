import type { ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { Address } from '../../ui/foreign.tsx';
import styles from './webmentions.module.css';

/** What a mention says: its HTML, sanitized by the service, or its text. */
export function Content({ mention }: { mention: MentionRecord }): ReactElement | null {
  const { html = '', value = '' } = mention.content ?? {};
  if (html.trim() === '' && value.trim() === '') return null;
  if (html.trim() === '') {
    return (
      <div dir="auto" className={`${styles.content} ${styles.plain}`}>
        {value}
      </div>
    );
  }
  return (
    <div
      dir="auto"
      className={styles.content}
      onClick={(event) => {
        const link = event.target instanceof Element ? event.target.closest('a') : null;
        if (!link) return;
        event.preventDefault();
        // As a link with a new window would: the desktop app hands it to the browser.
        if (/^https?:$/.test(link.protocol)) window.open(link.href, '_blank', 'noopener,noreferrer');
      }}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}

/** An address that opens in the browser: the window itself never goes anywhere. */
export function Outside({ url }: { url: string }): ReactElement {
  if (!/^https?:/i.test(url)) return <Address url={url} />;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={styles.link}>
      <Address url={url} />
    </a>
  );
}
