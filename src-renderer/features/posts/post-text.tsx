import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactElement } from 'react';
import { useClient } from '../../client/queries.ts';
import { foundPictures, picturesIn, type Pictures, withPictures } from '../../ui/page-content.ts';
import { RichText } from '../../ui/rich-text.tsx';
import styles from './posts.module.css';

const none: Pictures = new Map();

/** The text of a post, with thumbnails of the pictures in it. */
export function PostText({ html }: { html: string }): ReactElement {
  const client = useClient();
  const addresses = useMemo(() => picturesIn(html), [html]);
  const hasPictures = addresses.length > 0;
  const { data: pictures = none } = useQuery({
    queryKey: ['media.thumbnail', { addresses }],
    queryFn: () =>
      foundPictures(html, new Map(), async (url) => {
        const { dataUrl } = await client.call('media.thumbnail', { url }).catch(() => ({ dataUrl: null }));
        return dataUrl;
      }),
    enabled: hasPictures,
  });
  const shown = useMemo(
    () => (hasPictures ? withPictures(html, pictures) : html),
    [html, hasPictures, pictures],
  );
  return <RichText html={shown} className={styles.words ?? ''} />;
}
