import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { Address, Foreign } from '../../ui/foreign.tsx';
import type { Photo } from './properties.ts';
import styles from './posts.module.css';
import { previewWords } from './words.ts';

/**
 * Shows a thumbnail of a photo, or the address of a photo on another server of which Porchlight has no copy. `origin`: the
 * owner's own server.
 */
export function PreviewPhoto({ photo, origin }: { photo: Photo; origin: string }): ReactElement {
  const url = URL.canParse(photo.url, origin) ? new URL(photo.url, origin) : undefined;
  return url && /^https?:$/.test(url.protocol) ? (
    <FoundPhoto photo={{ ...photo, url: url.href }} isOwn={url.origin === origin} />
  ) : (
    <Named photo={photo} />
  );
}

/** While a photo on another server is looked up, its words are shown, because there may be no copy of it. */
function FoundPhoto({ photo, isOwn }: { photo: Photo; isOwn: boolean }): ReactElement {
  const { data, error } = useAnswer('media.thumbnail', { url: photo.url });
  if (typeof data?.dataUrl === 'string') {
    return (
      <figure className={styles.figure}>
        <img src={data.dataUrl} alt={photo.alt} />
        {photo.alt !== '' && (
          <figcaption aria-hidden="true">
            <Foreign text={photo.alt} />
          </figcaption>
        )}
      </figure>
    );
  }
  return data || error || !isOwn ? (
    <Named photo={photo} />
  ) : (
    <div className={styles.figure} aria-hidden="true" />
  );
}

function Named({ photo }: { photo: Photo }): ReactElement {
  return (
    <Text size="sm">
      {previewWords.photo} {photo.alt !== '' && <Foreign text={`${photo.alt} `} />}
      <Address url={photo.url} />
    </Text>
  );
}
