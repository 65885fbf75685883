import { IconFileText, IconMusic, IconPhoto, IconVideo, type Icon } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import type { MediaItem, MediaKind } from '../../../src-main/contract/media.ts';
import { useSmallPicture } from '../../ui/small-picture.tsx';
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
  const { url, kind } = item;
  const { ref, picture, isKnown } = useSmallPicture('media.thumbnail', kind === 'image' ? url : '');
  const KindIcon = icons[kind];
  return (
    <span ref={ref} className={large ? `${styles.frame} ${styles.frameLarge}` : styles.frame}>
      {picture !== null ? (
        <img src={picture} alt="" className={styles.picture} draggable={false} />
      ) : (
        <span className={styles.standIn}>
          <KindIcon size={30} stroke={1.5} aria-hidden="true" />
          {(kind !== 'image' || isKnown) && typeWords(item)}
        </span>
      )}
    </span>
  );
}
