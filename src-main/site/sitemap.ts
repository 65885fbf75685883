import { setImmediate } from 'node:timers/promises';
import { html, type Html } from '../http/html.ts';
import type { PublicAnswer } from '../http/public-answer.ts';
import { isListed } from '../posts/visibility.ts';
import { isElsewhere } from './found-post.ts';
import { listedBy, type PostReader } from '../posts/rendering/reader.ts';

interface SitemapView {
  readonly base: string;
  /** The current time, in ms. */
  readonly at: number;
  /** The pages that the owner wrote. */
  readonly pages: readonly { readonly slug: string }[];
}

const postsInPart = 5000;
/** The number of posts to read before the event loop runs other work. */
const atOnce = 50;

/** Returns the sitemap (sitemaps.org) at `at` (ms). On a large site, it lists the sitemap's parts. */
export async function sitemapAnswer(
  posts: PostReader,
  { base, at, pages }: SitemapView,
): Promise<PublicAnswer> {
  const cursors = await posts.cursorsEvery(postsInPart, at);
  if (cursors.length === 0) return answer('urlset', await postsFrom(posts, { base, at, pages }));
  const parts = [undefined, ...cursors].map(
    (_, index) => html`<sitemap><loc>${base}/sitemap-${index + 1}.xml</loc></sitemap>\n`,
  );
  return answer('sitemapindex', parts);
}

/** Returns a part of a large site's sitemap, or undefined if there is no such part. Part numbers start at 1. */
export async function sitemapPart(
  posts: PostReader,
  { base, at, pages, part }: SitemapView & { part: number },
): Promise<PublicAnswer | undefined> {
  const cursors = await posts.cursorsEvery(postsInPart, at);
  if (part < 1 || cursors.length === 0 || part > cursors.length + 1) return undefined;
  return answer('urlset', await postsFrom(posts, { base, at, pages, after: cursors[part - 2] }));
}

function answer(element: 'urlset' | 'sitemapindex', entries: readonly Html[]): PublicAnswer {
  const text = entries.map(({ markup }) => markup).join('');
  return {
    type: 'application/xml; charset=utf-8',
    text: `<?xml version="1.0" encoding="UTF-8"?>\n<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${text}</${element}>\n`,
  };
}

/** Returns the entries of one part. The first part includes the home page and the owner's pages. */
async function postsFrom(
  posts: PostReader,
  { base, at, pages, after }: SitemapView & { after?: string | undefined },
): Promise<Html[]> {
  const entries =
    after === undefined
      ? ['', ...pages.map(({ slug }) => slug)].map((path) => html`<url><loc>${base}/${path}</loc></url>\n`)
      : [];
  let cursor = after;
  for (let left = postsInPart; left > 0; left -= atOnce) {
    const found = await posts.list({
      limit: atOnce,
      ...(cursor !== undefined && { after: cursor }),
      filter: listedBy(at),
    });
    for (const post of found.items)
      // Posts on the owner's own site are left out, because a sitemap may list only URLs of its own host.
      if (isListed(post, at) && !isElsewhere(post))
        entries.push(
          html`<url><loc>${new URL(post.path, base).href}</loc><lastmod>${post.updatedAt}</lastmod></url>\n`,
        );
    cursor = found.after;
    if (cursor === undefined) break;
    await setImmediate();
  }
  return entries;
}
