import type { ReactElement } from 'react';
import styles from './rich-text.module.css';

/** Shows HTML that the service has sanitized, as it does for the site. Its links open in the browser. */
export function RichText({ html, className = '' }: { html: string; className?: string }): ReactElement {
  return (
    <div
      dir="auto"
      className={`${styles.text} ${className}`}
      onClick={(event) => {
        const link = event.target instanceof Element ? event.target.closest('a') : null;
        if (!link) return;
        event.preventDefault();
        // The desktop app opens new windows in the browser.
        if (/^https?:$/.test(link.protocol)) window.open(link.href, '_blank', 'noopener,noreferrer');
      }}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}

/** Shows text and keeps its line breaks. */
export function PlainText({ text, className = '' }: { text: string; className?: string }): ReactElement {
  return (
    <div dir="auto" className={`${styles.text} ${styles.plain} ${className}`}>
      {text}
    </div>
  );
}
