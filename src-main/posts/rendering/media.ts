import { type MediaProperty, mediaProperties } from '../../contract/post-kinds.ts';
import type { Post, Properties } from '../../contract/posts.ts';
import { html, type Html } from '../../http/html.ts';
import { altOf, asLink, propertyValues } from '../values.ts';
import type { Content } from './contents.ts';
import {
  elementFor,
  type Embedded,
  type MediaLookup,
  mostOnPage,
  openableMarkup,
  pictureSource,
} from './embedded.ts';
import type { MediaReader, ShownMedia } from './reader.ts';

/** A picture or recording in a post, with the name of the property that contains it. */
interface Named extends Embedded {
  readonly property: MediaProperty;
}

type View = Parameters<typeof openableMarkup>[1];

/**
 * Returns the markup of a post's cover, and of its photos, videos and recordings. `most`: the maximum number of files to show; the others
 * are only counted.
 */
export function mediaMarkup(properties: Properties, view: View, most = Infinity): Html | null {
  const named = namedMedia(properties, view.base);
  if (named.length === 0) return null;
  const shown = named.slice(0, most);
  const rest = named.length - shown.length;
  const isCover = ({ property }: Named) => property === 'featured';
  const covers = groupMarkup(shown.filter(isCover), view, 'media cover');
  const others = groupMarkup(
    shown.filter((one) => !isCover(one)),
    view,
    'media',
  );
  return html`${covers}${others}
    ${rest > 0 && html`<p class="soft">and ${rest} more</p>`}`;
}

function groupMarkup(group: readonly Named[], view: View, className: string): Html | null {
  if (group.length === 0) return null;
  const items = group.map(
    (one, index) =>
      html`${openableMarkup({ ...one, cell: cellOf(index, group.length) }, view, `u-${one.property}`)} `,
  );
  return html`<div class="${group.length > 1 ? 'media many' : className}">${items}</div>`;
}

/** Returns the place of a file among the files that a post shows. The style sheet has the same rules (site/styles/site.css). */
function cellOf(index: number, count: number): Embedded['cell'] {
  if (count === 1) return undefined;
  return { columns: count === 2 || count === 4 ? 2 : 3, isWide: index === 0 && count % 2 === 1 };
}

/** Returns the URL of the first picture in a post that browsers can show, in the version for share previews. */
export function pictureOf(properties: Properties, view: View): string | undefined {
  const found = firstPicture(properties, view);
  return found && new URL(found.preview ?? found.path, view.base).href;
}

/** Returns the URL of the same picture as `pictureOf`, in the version that feeds show. */
export function smallPictureOf(properties: Properties, view: View): string | undefined {
  const found = firstPicture(properties, view);
  return found && new URL(pictureSource(found, {}, 'feed').src, view.base).href;
}

function firstPicture(properties: Properties, { base, shown }: View): ShownMedia | undefined {
  return namedMedia(properties, base)
    .flatMap(({ url }) => shown(url) ?? [])
    .find(({ type }) => elementFor(type) === 'img');
}

/** Returns a post's first video or audio file, or else its first picture. A feed allows only one enclosure per post. */
export function enclosureOf(
  properties: Properties,
  { base, shown }: View,
): { url: string; type: string; bytes: number } | undefined {
  const found = namedMedia(properties, base).flatMap(({ url }) => shown(url) ?? []);
  const recording = found.find(({ type }) => /^(audio|video)\//.test(type));
  const file = recording ?? found[0];
  return file && { url: new URL(file.path, base).href, type: file.type, bytes: file.bytes };
}

/** Returns the pictures and recordings in a post's properties, in the order in which a page shows them. */
export function namedMedia(properties: Properties, base: string): Named[] {
  return mediaProperties.flatMap((property) =>
    propertyValues(properties, property).flatMap((value): Named[] => {
      const url = asLink(value, base);
      const kind = property === 'video' || property === 'audio' ? property : 'img';
      return url === undefined ? [] : [{ property, kind, url, alt: altOf(value) }];
    }),
  );
}

const atOnce = 50;

/** Looks up all pictures and recordings of the posts on a page before the page is written. */
export async function shownIn(
  posts: readonly Post[],
  contents: ReadonlyMap<string, Content>,
  { base, media }: { readonly base: string; readonly media: MediaReader },
): Promise<MediaLookup> {
  const urls = [...new Set(posts.flatMap((post) => urlsIn(post, contents.get(post.path), base)))];
  const found = new Map<string, ShownMedia>();
  for (let start = 0; start < Math.min(urls.length, mostOnPage); start += atOnce) {
    const some = urls.slice(start, Math.min(start + atOnce, mostOnPage));
    await Promise.all(
      some.map(async (url) => {
        const shown = await media.shown(url);
        if (shown) found.set(url, shown);
      }),
    );
  }
  markFirst(posts[0] ? urlsIn(posts[0], contents.get(posts[0].path), base) : [], found);
  return (url) => found.get(url);
}

/** Marks the first picture of the first post. */
function markFirst(urls: readonly string[], found: Map<string, ShownMedia>): void {
  for (const url of urls) {
    const shown = found.get(url);
    if (!shown?.type.startsWith('image/')) continue;
    found.set(url, { ...shown, isFirst: true });
    return;
  }
}

function urlsIn({ properties }: Post, content: Content | undefined, base: string): string[] {
  const named = mediaProperties.flatMap((name) =>
    propertyValues(properties, name).flatMap((value) => asLink(value, base) ?? []),
  );
  const inside = (content?.rich ?? []).flatMap((part) => (typeof part === 'string' ? [] : [part.url]));
  return [...named, ...inside];
}
