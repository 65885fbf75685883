import { useIntersection } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useClient } from '../client/queries.ts';
import { AppMark } from './app-mark.tsx';
import { IconPhoto, type Icon } from './icons.ts';
import shared from './shared.module.css';

/** The longest address that the service accepts, in characters. */
const longest = 4096;

type Source = 'webmentions.picture' | 'media.thumbnail';

interface SmallPicture {
  /** Of the element that must scroll into view. */
  readonly ref: (element: HTMLSpanElement | null) => void;
  /** A data: URL; null before the answer, and if there is no picture. */
  readonly picture: string | null;
  /** Whether the service has answered. */
  readonly isKnown: boolean;
}

/** Requests a small picture when its place scrolls into view. `url` is empty if there is none. */
export function useSmallPicture(source: Source, url: string): SmallPicture {
  const client = useClient();
  const { ref, entry } = useIntersection<HTMLSpanElement>({ rootMargin: '200px' });
  const { data } = useQuery({
    queryKey: [source, { url }],
    queryFn: () => client.call(source, { url }),
    enabled: url !== '' && url.length <= longest && entry?.isIntersecting === true,
    // The file at an address never changes.
    staleTime: Infinity,
  });
  const picture = data?.dataUrl ?? null;
  return { ref, picture: picture?.startsWith('data:image/') ? picture : null, isKnown: data !== undefined };
}

interface FaceProps {
  readonly name: string;
  /** Whose host gives the initial where the name has none. */
  readonly address: string;
  /** The picture's address on the web, which the service fetches; empty if the person has none. */
  readonly photo?: string;
  readonly large?: boolean;
}

/** The picture of a person who mentioned the owner, or an initial. Decoration: the name stands beside it. */
export function Face({ name, address, photo = '', large = false }: FaceProps): ReactElement {
  const { ref, picture } = useSmallPicture('webmentions.picture', photo);
  return (
    <span ref={ref} className={shared.face}>
      <AppMark name={name} address={address} round logo={picture} large={large} />
    </span>
  );
}

interface RowPictureProps {
  /** The address of one of the owner's own pictures; empty if there is none. */
  readonly url: string;
  /** Stands where there is no picture. */
  readonly StandIn?: Icon;
}

/** A small square picture at the start of a list's row, or an icon. Decoration: words stand beside it. */
export function RowPicture({ url, StandIn = IconPhoto }: RowPictureProps): ReactElement {
  const { ref, picture } = useSmallPicture('media.thumbnail', url);
  return (
    <span ref={ref} className={shared.rowPicture} aria-hidden="true">
      {picture === null ? <StandIn size={18} stroke={1.6} /> : <img src={picture} alt="" draggable={false} />}
    </span>
  );
}
