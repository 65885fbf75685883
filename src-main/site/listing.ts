import { isListed } from '../post/visibility.ts';
import type { PostListing } from './list-page.ts';
import { listedBy, type PostReader } from './reader.ts';
import type { SiteList } from './site-list.ts';

/** The part of a list that a request asks for: the first page if both cursors are absent. */
export interface Wanted {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

const postsOnPage = 20;

/** Returns a cursor parameter; a repeated parameter counts as absent. */
export function cursorOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Returns one page of a list at `now` (ms); null if the requested newer page is the first page, which has a URL of its
 * own.
 * @throws PorchlightError `invalid_request` for an invalid cursor
 */
export async function listingOf(
  posts: PostReader,
  { path, filter }: SiteList,
  { after, before }: Wanted,
  now: number,
): Promise<PostListing | null> {
  const found = await posts.list({
    limit: postsOnPage,
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    filter: { ...listedBy(now), ...filter },
  });
  if (before !== undefined && found.items.length < postsOnPage) return null;
  const url = (name: string, cursor: string) => `${path}?${name}=${encodeURIComponent(cursor)}`;
  const isFirst = after === undefined && before === undefined;
  return {
    items: found.items.filter((post) => isListed(post, now)),
    ...(found.after !== undefined && { older: url('after', found.after) }),
    ...(!isFirst && { newer: found.before === undefined ? path : url('before', found.before) }),
  };
}
