import type { ReactElement } from 'react';
import styles from './look.module.css';
import { plainText, visibleText } from './plain-text.ts';

/** Text from a stranger: isolated, so that its direction stays its own, and free of hidden characters. */
export function Foreign({ text, fallback = '' }: { text: string; fallback?: string }): ReactElement {
  const plain = plainText(text);
  return <bdi className={styles.foreign}>{plain === '' ? fallback : plain}</bdi>;
}

/** An address, whole and breakable anywhere, every hidden character made visible. */
export function Address({ url }: { url: string }): ReactElement {
  return (
    <bdi dir="ltr" className={styles.address}>
      {visibleText(url)}
    </bdi>
  );
}

/** An address that opens in the browser: the window itself never goes anywhere. */
export function Outside({ url }: { url: string }): ReactElement {
  if (!/^https?:/i.test(url)) return <Address url={url} />;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={styles.outside}>
      <Address url={url} />
    </a>
  );
}
