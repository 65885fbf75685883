import type { Post } from '../../contract/posts.ts';
import type { Content } from './contents.ts';
import type { MediaLookup } from './embedded.ts';
import type { MediaReader, ShownMedia } from './reader.ts';
import { asLink, propertyValues } from '../values.ts';

/** The properties with pictures and recordings, in the order in which pages show them. */
export const mediaProperties = ['featured', 'photo', 'video', 'audio'] as const;

/** The maximum number of files to look up for a page, which is more than any page needs. Further files become links. */
const mostOnPage = 2000;
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
