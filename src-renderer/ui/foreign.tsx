import type { ReactElement } from 'react';
import { pagesInWords } from '../../src-main/contract/activity.ts';
import styles from './shared.module.css';
import { addressInShort, plainText, visibleAddress } from './plain-text.ts';

/** Shows text from a stranger without hidden characters. Isolated, so that its direction affects nothing around it. */
export function Foreign({ text, fallback = '' }: { text: string; fallback?: string }): ReactElement {
  const plain = plainText(text);
  return <bdi className={styles.foreign}>{plain === '' ? fallback : plain}</bdi>;
}

/** Shows a sentence with a stranger's words in it. A page has its title or a short address, and all of it on hover. */
export function ForeignSentence({ text }: { text: string }): ReactElement {
  return (
    <bdi className={styles.foreign}>
      {pagesInWords(plainText(text)).map(({ text: piece, url }, index) =>
        url === undefined ? (
          piece
        ) : (
          <bdi key={index} dir={piece === url ? 'ltr' : undefined} title={visibleAddress(url)}>
            {piece === url ? addressInShort(url) : piece}
          </bdi>
        ),
      )}
    </bdi>
  );
}

/** Shows an address in full, with every hidden character made visible. It may break anywhere. */
export function Address({ url }: { url: string }): ReactElement {
  return (
    <bdi dir="ltr" className={styles.address}>
      {visibleAddress(url)}
    </bdi>
  );
}

/**
 * Shows an address that opens in the browser: the window itself never leaves its page. `words`: stands in place of the
 * address.
 */
export function Outside({ url, words }: { url: string; words?: string }): ReactElement {
  if (!/^https?:/i.test(url)) return <Address url={url} />;
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className={styles.outside}
      title={words === undefined ? undefined : visibleAddress(url)}
    >
      {words === undefined ? <Address url={url} /> : <Foreign text={words} />}
    </a>
  );
}
