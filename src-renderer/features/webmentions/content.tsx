import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type OnlyFile, onlyFileOf } from '../../../src-main/contract/mention-types.ts';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { useClient } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { PlainText, RichText } from '../../ui/rich-text.tsx';
import { openedWords } from './words.ts';
import styles from './webmentions.module.css';

/** The longest address that the service accepts, in characters. */
const longest = 4096;

/** The text of a mention: its HTML, which the service sanitized, or its plain text; or the file that is there instead. */
export function Content({ mention }: { mention: MentionRecord }): ReactElement | null {
  const { html = '', value = '' } = mention.content ?? {};
  const file = onlyFileOf(mention);
  return (
    <>
      {html.trim() !== '' ? (
        <RichText html={html} className={styles.said ?? ''} />
      ) : (
        value.trim() !== '' && <PlainText text={value} className={styles.said ?? ''} />
      )}
      {file && <Shown file={file} />}
      {mention.shortened !== undefined && (
        <Text size="xs" c="dimmed">
          {openedWords.shortened}
        </Text>
      )}
    </>
  );
}

/** Shows the service's copy of a photo. Names a photo without a copy, and any other file. */
function Shown({ file: { kind, words, url, alt, count } }: { file: OnlyFile }): ReactElement {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['webmentions.picture', { url, kind }],
    queryFn: () => client.call('webmentions.picture', { url, kind: 'photo' }),
    enabled: kind === 'photo' && url.length <= longest,
    staleTime: Infinity,
  });
  const picture = data?.dataUrl ?? null;
  return (
    <>
      {picture === null ? (
        <Text>
          {words}
          {alt !== '' && (
            <>
              : <Foreign text={alt} />
            </>
          )}
        </Text>
      ) : (
        <img src={picture} alt={alt || words} className={styles.photo ?? ''} />
      )}
      {count > 1 && (
        <Text size="sm" c="dimmed">
          {openedWords.moreFiles(count - 1)}
        </Text>
      )}
    </>
  );
}
