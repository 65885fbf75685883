import { useIntersection } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { useClient } from '../../client/queries.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { personOf } from './naming.ts';
import styles from './webmentions.module.css';

/** The longest address that the service accepts, in characters. */
const longest = 4096;

/** The author's picture, requested when it scrolls into view, or an initial. It is decoration. */
export function Avatar({
  mention,
  large = false,
}: {
  mention: MentionRecord;
  large?: boolean;
}): ReactElement {
  const client = useClient();
  const url = mention.author?.photo ?? '';
  const { ref, entry } = useIntersection<HTMLSpanElement>({ rootMargin: '200px' });
  const { data } = useQuery({
    queryKey: ['webmentions.picture', { url }],
    queryFn: () => client.call('webmentions.picture', { url }),
    enabled: url !== '' && url.length <= longest && entry?.isIntersecting === true,
    staleTime: Infinity,
  });
  return (
    <span ref={ref} className={styles.avatar}>
      <AppMark
        name={personOf(mention)}
        address={mention.author?.url || mention.source}
        round
        logo={data?.dataUrl ?? null}
        large={large}
      />
    </span>
  );
}
