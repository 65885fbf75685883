import type { Post } from '../../contract/posts.ts';
import { postUrl } from '../../posts/address.ts';
import { categoriesOf } from '../../posts/inline-links.ts';
import { postKindOf } from '../../posts/kind.ts';
import { publishedAt } from '../../posts/published.ts';
import { isListed } from '../../posts/visibility.ts';
import { listAt } from '../../posts/rendering/site-list.ts';
import { topicPaths } from '../../posts/rendering/topics.ts';
import { addressOfPath } from './copied-addresses.ts';

/** Returns the paths of the lists and feeds that may show a post. */
export function listPaths(post: Post): string[] {
  const [, year = '', month = ''] = /^\/posts\/(\d{4})\/(\d\d)\//.exec(post.path) ?? [];
  const dates = [listAt(`/posts/${year}/`), listAt(`/posts/${year}/${month}/`)];
  const paths = [...topicPaths(post), ...dates.flatMap((list) => (list ? [list.path] : []))];
  return [...paths.map(addressOfPath), '/sitemap.xml'];
}

/** The pages that show the number of posts in each list. */
export const countingAddresses = ['/archive', '/categories'];

/** Returns the URLs by which pages link to a post, in the form of `PageLinks.named`. */
export function namesOf(post: Post, base: string): string[] {
  const own = postUrl(base, post);
  return [addressOfPath(post.path), own.startsWith(`${base}/`) ? addressOfPath(own.slice(base.length)) : own];
}

/** Returns whether a changed post keeps its position in every list. `now`: in ms. */
export function isInPlace(post: Post, before: Post | undefined, now: number): boolean {
  const placeOf = (one: Post) =>
    JSON.stringify([
      ...[one.path, publishedAt(one), isListed(one, now), postKindOf(one)],
      ...[one.home?.url, categoriesOf(one)],
    ]);
  return before !== undefined && placeOf(post) === placeOf(before);
}
