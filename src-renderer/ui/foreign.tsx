import type { ReactElement } from 'react';
import styles from './shared.module.css';
import { addressInShort, plainText, visibleAddress } from './plain-text.ts';

/** Shows text from a stranger without hidden characters. Isolated, so that its direction affects nothing around it. */
export function Foreign({ text, fallback = '' }: { text: string; fallback?: string }): ReactElement {
  const plain = plainText(text);
  return <bdi className={styles.foreign}>{plain === '' ? fallback : plain}</bdi>;
}

/** An address in a sentence, up to the punctuation that ends the sentence. */
const address = /(https?:\/\/\S*[^\s.,;:!?)”])/;

/** Shows a sentence with a stranger's words in it. Its addresses are short; the title of each has all of it. */
export function ForeignSentence({ text }: { text: string }): ReactElement {
  const parts = plainText(text).split(address);
  return (
    <bdi className={styles.foreign}>
      {parts.map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <bdi key={index} dir="ltr" title={part}>
            {addressInShort(part)}
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
