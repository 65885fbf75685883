import type { Post } from '../../contract/posts.ts';
import { xmlText } from '../../http/html.ts';
import { categoriesOf } from '../../posts/inline-links.ts';
import { hasTitle } from '../../posts/kind.ts';
import { propertyText } from '../../posts/values.ts';
import { addressOf, bodyMarkup, titleOf, type EntryView } from '../../posts/rendering/entry.ts';
import { enclosureOf } from '../../posts/rendering/media.ts';
import type { SiteFeed } from '../../posts/rendering/site-list.ts';
import { hubAt } from '../../posts/rendering/topics.ts';
import { atomFeed } from './atom.ts';
import { editedDate, publishedDate } from './feed-date.ts';
import type { FeedItem } from './feed-model.ts';
import { jsonFeed } from './json.ts';
import { rssFeed } from './rss.ts';

/** The data of a feed page, apart from its posts. Paths can include a query. */
export interface FeedPage {
  readonly feed: SiteFeed;
  readonly path: string;
  readonly next: string | undefined;
}

/**
 * Returns a page of a feed, with the posts newest first. `updated`: the time of the most recent change to one of them,
 * in ms; 0 without posts.
 */
export function feedText(
  { feed: { list, format, path: first }, path, next }: FeedPage,
  posts: readonly Post[],
  view: EntryView,
): { readonly text: string; readonly updated: number } {
  const { base, author } = view;
  const at = (place: string) => new URL(place, base).href;
  const items = posts.map((post) => itemOf(post, { ...view, pictures: 'feed' }));
  const name = xmlText(author.name);
  const write = { atom: atomFeed, rss: rssFeed, json: jsonFeed }[format];
  const updated = Math.max(0, ...items.map((item) => item.updated.at));
  const text = write({
    title: list.title === '' ? name : `${xmlText(list.title)} – ${name}`,
    page: at(list.path),
    self: at(path),
    first: at(first),
    next: next === undefined ? undefined : at(next),
    hub: path === first ? hubAt(base) : undefined,
    author: { ...author, name, url: at(author.url) },
    updated,
    items,
  });
  return { text, updated };
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
