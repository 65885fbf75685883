import { isPostKind, postKinds } from '../../contract/post-kinds.ts';
import type { Post, PostKind } from '../../contract/posts.ts';
import { postKindOf } from '../kind.ts';
import { categoriesOf, categoryPath } from '../links.ts';
import { percentDecoded } from '../post-path.ts';
import type { PostFilter } from '../post-store.ts';

/** A list of posts that has its own page. */
export interface SiteList {
  readonly kind: 'home' | 'category' | 'kind' | 'year' | 'month';
  readonly path: string;
  /** The heading; empty for the home page, which shows the owner instead. */
  readonly title: string;
  readonly filter: Pick<PostFilter, 'category' | 'kind' | 'year' | 'month'>;
}

export const feedFormats = ['atom', 'rss', 'json'] as const;
type FeedFormat = (typeof feedFormats)[number];

export interface SiteFeed {
  readonly list: SiteList;
  readonly format: FeedFormat;
  readonly path: string;
}

export const homeList: SiteList = { kind: 'home', path: '/', title: '', filter: {} };

/** Made at its first use, because the first format of a program takes 6 ms. */
let monthWords: Intl.DateTimeFormat | undefined;

/** Returns the name of a month, such as November for `2026/11`. */
export function monthName(month: string): string {
  monthWords ??= new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });
  return monthWords.format(new Date(`${month.replace('/', '-')}-01T00:00:00Z`));
}

export const yearPath = (year: string): string => `/posts/${year}/`;
export const monthPath = (month: string): string => `/posts/${month}/`;

export const categoryList = (name: string): SiteList => ({
  kind: 'category',
  path: categoryPath(name),
  title: name,
  filter: { category: name },
});

export const kindList = (kind: PostKind): SiteList => ({
  kind: 'kind',
  path: `/kinds/${kind}`,
  title: postKinds[kind].plural,
  filter: { kind },
});

/**
 * Returns the list at a URL's path (percent-encoded), whether or not the list has posts. Accepts years and months
 * without their trailing slash.
 */
export function listAt(pathname: string): SiteList | undefined {
  if (pathname === '/') return homeList;
  const [, collection, rest = ''] = /^\/(categories|kinds|posts)\/(.+)$/.exec(pathname) ?? [];
  const name = percentDecoded(rest);
  if (collection === undefined || name === undefined) return undefined;
  if (collection === 'categories') return categoryList(name);
  if (collection === 'kinds') return isPostKind(name) ? kindList(name) : undefined;
  const [, year, month] = /^(\d{4})(?:\/(0[1-9]|1[0-2]))?\/?$/.exec(rest) ?? [];
  if (year === undefined) return undefined;
  if (month === undefined) return { kind: 'year', path: yearPath(year), title: year, filter: { year } };
  const whole = `${year}/${month}`;
  const title = `${monthName(whole)} ${year}`;
  return { kind: 'month', path: monthPath(whole), title, filter: { month: whole } };
}

/** Returns the feed at a URL's path (percent-encoded), whether or not its list has posts. */
export function feedAt(pathname: string): SiteFeed | undefined {
  const [, place = '', ending] =
    /^(\/|\/categories\/[^/]+\/|\/kinds\/[^/]+\/)feed\.(atom|rss|json)$/.exec(pathname) ?? [];
  const format = feedFormats.find((one) => one === ending);
  const list = listAt(place === '/' ? place : place.slice(0, -1));
  return list && format && feedOf(list, format);
}

/** Returns the feed of a list in a format. */
export function feedOf(list: SiteList, format: FeedFormat): SiteFeed {
  return { list, format, path: `${list.path.replace(/\/$/, '')}/feed.${format}` };
}

/** Returns the feeds of a list. Lists of years and months have no feeds, because they hardly change. */
export function feedsOf(list: SiteList): SiteFeed[] {
  return list.kind === 'year' || list.kind === 'month'
    ? []
    : feedFormats.map((format) => feedOf(list, format));
}

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
