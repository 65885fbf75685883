import type { Post } from '../../contract/posts.ts';
import { categoriesOf } from '../inline-links.ts';
import { postKindOf } from '../kind.ts';
import { categoryList, feedAt, feedsOf, homeList, kindList, listAt } from './site-list.ts';

/** Returns the URL of the WebSub hub of the site at `base`. */
export const hubAt = (base: string): string => `${base}/websub`;

/**
 * Returns the path of the WebSub topic, if a URL leads to a feed or to the first page of a list that has feeds. Returns
 * undefined for any other URL, and for a URL with a query.
 */
export function topicPath(pathAndQuery: string): string | undefined {
  if (pathAndQuery.includes('?')) return undefined;
  const feed = feedAt(pathAndQuery);
  if (feed) return feed.path;
  const list = listAt(pathAndQuery);
  return list && feedsOf(list).length > 0 ? list.path : undefined;
}

/** Returns the paths of the WebSub topics that show a post. */
export function topicPaths(post: Post): string[] {
  const lists = [homeList, kindList(postKindOf(post)), ...categoriesOf(post).map(categoryList)];
  return lists.flatMap((list) => [list.path, ...feedsOf(list).map(({ path }) => path)]);
}
