import type { ReactElement } from 'react';
import styles from './rich-text.module.css';

/** `html` was sanitized by the service, as it is for the site. Its links open in the browser. */
export function RichText({ html, className = '' }: { html: string; className?: string }): ReactElement {
  return (
    <div
      dir="auto"
      className={`${styles.text} ${className}`}
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

/** Text in which only the line ends mean something. */
export function PlainText({ text, className = '' }: { text: string; className?: string }): ReactElement {
  return (
    <div dir="auto" className={`${styles.text} ${styles.plain} ${className}`}>
      {text}
    </div>
  );
}
