import type { Post } from '../../contract/posts.ts';
import { xmlText } from '../../http/html.ts';
import { categoriesOf } from '../../post/inline-links.ts';
import { hasTitle } from '../../post/kind.ts';
import { propertyText } from '../../post/values.ts';
import type { Author } from '../author.ts';
import { addressOf, bodyMarkup, titleOf, type EntryView } from '../entry.ts';
import { enclosureOf } from '../media.ts';
import type { SiteFeed } from '../site-list.ts';
import { hubAt } from '../topics.ts';
import { atomText } from './atom.ts';
import { editedDate, publishedDate, type FeedDate } from './feed-date.ts';
import { jsonText } from './json.ts';
import { rssText } from './rss.ts';

/** A post as feeds show it. Its texts contain no characters that XML can't represent. */
export interface FeedItem {
  readonly url: string;
  /** Plain text. Posts without a name of their own have one that is made from their words. */
  readonly title: string;
  readonly hasOwnTitle: boolean;
  readonly summary: string | undefined;
  /** HTML. All of its URLs are absolute. */
  readonly content: string;
  readonly published: FeedDate;
  readonly updated: FeedDate;
  readonly categories: readonly string[];
  readonly enclosure: { readonly url: string; readonly type: string; readonly bytes: number } | undefined;
}

/** A page of a feed (RFC 5005). All URLs are absolute. */
export interface Feed {
  readonly title: string;
  /** The page with the same posts. It also identifies the feed. */
  readonly page: string;
  readonly self: string;
  readonly first: string;
  /** The next older page of the feed. */
  readonly next: string | undefined;
  /** The WebSub hub; absent on all pages but the first, because only the first is a topic. */
  readonly hub: string | undefined;
  readonly author: Author;
  /** When an item last changed, in ms. The epoch for an empty feed, so that its text stays the same. */
  readonly updated: number;
  readonly items: readonly FeedItem[];
}

/** What distinguishes a page of a feed, besides its posts. Paths may have a query. */
export interface FeedPage {
  readonly feed: SiteFeed;
  readonly path: string;
  readonly next: string | undefined;
}

/** Returns a page of a feed, with the posts newest first. */
export function feedText(
  { feed: { list, format, path: first }, path, next }: FeedPage,
  posts: readonly Post[],
  view: EntryView,
): string {
  const { base, author } = view;
  const at = (place: string) => new URL(place, base).href;
  const items = posts.map((post) => itemOf(post, view));
  const name = xmlText(author.name);
  const write = { atom: atomText, rss: rssText, json: jsonText }[format];
  return write({
    title: list.title === '' ? name : `${xmlText(list.title)} – ${name}`,
    page: at(list.path),
    self: at(path),
    first: at(first),
    next: next === undefined ? undefined : at(next),
    hub: path === first ? hubAt(base) : undefined,
    author: { ...author, name, url: at(author.url) },
    updated: Math.max(0, ...items.map(({ updated }) => updated.at)),
    items,
  });
}

function itemOf(post: Post, view: EntryView): FeedItem {
  const { properties } = post;
  const published = publishedDate(post);
  const summary = propertyText(properties, 'summary');
  return {
    url: addressOf(post, view),
    title: xmlText(titleOf(post, view)),
    hasOwnTitle: hasTitle(properties, view.contentOf(post).words),
    summary: summary === undefined ? undefined : xmlText(summary),
    content: xmlText(bodyMarkup(post, view, 'page').markup).trim(),
    published,
    updated: post.editedAt === undefined ? published : editedDate(post.editedAt),
    categories: categoriesOf(post).map(xmlText),
    enclosure: enclosureOf(properties, view),
  };
}
