import { isListed } from '../posts/visibility.ts';
import type { PostListing } from './list-page.ts';
import { listedBy, type ListSize, type PostReader } from '../posts/rendering/reader.ts';
import type { SiteList } from '../posts/rendering/site-list.ts';

/**
 * The number of posts on a page of a list. Every page except the first has `most` posts, counted from the oldest post,
 * so that a new post changes only the first page. The first page has all remaining posts, between `fewest` and `fewest
 * + most - 1`.
 */
const perPage = { most: 20, fewest: 10 };

/** Returns the cursor in a query parameter. A repeated parameter counts as absent. */
export function requestedCursor(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Returns one page of a list at `now` (ms): the page after a cursor, or the first page.
 * @throws PorchlightError `invalid_request` for an invalid cursor
 */
export async function listingOf(
  posts: PostReader,
  list: SiteList,
  after: string | undefined,
  now: number,
): Promise<PostListing> {
  const { path } = list;
  const filter = { ...listedBy(now), ...list.filter };
  const url = (cursor: string) => `${path}?after=${encodeURIComponent(cursor)}`;

  /** Returns the URL of the next newer page. `cursor`: the cursor of the current page. */
  async function newerThan(cursor: string): Promise<string> {
    const page = (limit: number) => posts.list({ limit, before: cursor, filter });
    // `page` returns only posts before the cursor. The post at the cursor is the last post of the next newer page, so
    // it is subtracted here.
    const rest = perPage.most + perPage.fewest - 1;
    if ((await page(rest)).items.length < rest) return path;
    const { before } = await page(perPage.most);
    return before === undefined ? path : url(before);
  }

  // While lists don't know all posts, the first page may end at another post than later.
  const size = after === undefined && posts.hasAll() ? await sizeOf(posts, list, now) : undefined;
  if (size === 0) return { items: [] };
  const limit = size === undefined ? perPage.most : firstOf(size);
  const found = await posts.list({ limit, ...(after !== undefined && { after }), filter });
  return {
    items: found.items.filter((post) => isListed(post, now)),
    ...(found.after !== undefined && { older: url(found.after) }),
    ...(after !== undefined && { newer: await newerThan(after) }),
  };
}

/** Returns the number of posts on the first page of a list. */
function firstOf(size: number): number {
  const { most, fewest } = perPage;
  return size < most + fewest ? most + fewest : fewest + ((size - fewest) % most);
}

/** Returns the number of posts in a list. */
async function sizeOf(posts: PostReader, { kind, filter }: SiteList, now: number): Promise<number> {
  const { category, year = '', month } = filter;
  const sum = (sizes: readonly ListSize[]) => sizes.reduce((all, { count }) => all + count, 0);
  if (kind === 'home') return sum(await posts.sizes('kind', now));
  if (kind === 'kind') return sum(await posts.sizes('kind', now, filter.kind));
  if (kind === 'category') return sum(await posts.sizes('category', now, category));
  if (month !== undefined) return sum(await posts.sizes('month', now, month));
  return sum((await posts.sizes('month', now)).filter(({ name }) => name.startsWith(`${year}/`)));
}
