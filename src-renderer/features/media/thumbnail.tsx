import { useIntersection } from '@mantine/hooks';
import { IconFileText, IconMusic, IconPhoto, IconVideo, type Icon } from '../../ui/icons.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { MediaItem, MediaKind } from '../../../src-main/contract/media.ts';
import { useClient } from '../../client/queries.ts';
import styles from './media.module.css';
import { typeWords } from './words.ts';

const icons: Record<MediaKind, Icon> = {
  image: IconPhoto,
  video: IconVideo,
  audio: IconMusic,
  document: IconFileText,
};

/**
 * A small picture of a file, or the file's type in words. Loads when it scrolls into view. Has no alt text because the
 * file's name is beside it.
 */
export function Thumbnail({ item, large = false }: { item: MediaItem; large?: boolean }): ReactElement {
  const client = useClient();
  const { url, kind } = item;
  const { ref, entry } = useIntersection<HTMLSpanElement>({ rootMargin: '200px' });
  const { data } = useQuery({
    queryKey: ['media.thumbnail', { url }],
    queryFn: () => client.call('media.thumbnail', { url }),
    enabled: kind === 'image' && entry?.isIntersecting === true,
    // The file at an address never changes.
    staleTime: Infinity,
  });
  const picture = data?.dataUrl ?? null;
  const KindIcon = icons[kind];
  return (
    <span ref={ref} className={large ? `${styles.frame} ${styles.frameLarge}` : styles.frame}>
      {picture?.startsWith('data:image/') ? (
        <img src={picture} alt="" className={styles.picture} draggable={false} />
      ) : (
        <span className={styles.standIn}>
          <KindIcon size={30} stroke={1.5} aria-hidden="true" />
          {(kind !== 'image' || data) && typeWords(item)}
        </span>
      )}
    </span>
  );
}
