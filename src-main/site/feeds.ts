import { Feed, type Item } from 'feed';
import type { Post } from '../contract/posts.ts';
import { html } from '../http/html.ts';
import type { SiteView } from './author.ts';
import { addressOf, bodyMarkup, publishedOf, titleOf } from './entry.ts';
import { hasTitle } from './kind.ts';
import { asText, valuesOf } from './values.ts';

export type FeedFormat = 'atom' | 'rss' | 'json';

/** Media types of the formats (RFC 4287, RSS advisory board, jsonfeed.org). */
export const feedTypes: Readonly<Record<FeedFormat, string>> = {
  atom: 'application/atom+xml; charset=utf-8',
  rss: 'application/rss+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

/** The posts as a feed, newest first. What feeds can not hold (control characters) is left out. */
export function feedText(format: FeedFormat, posts: readonly Post[], view: SiteView): string {
  const { base, author } = view;
  const feed = new Feed({
    id: `${base}/`,
    link: `${base}/`,
    title: clean(author.name),
    updated: latest(posts),
    generator: 'Porchlight',
    feedLinks: { [format]: `${base}/feed.${format}` },
    author: { name: clean(author.name), link: new URL(author.url, base).href },
  });
  for (const post of posts) feed.addItem(itemOf(format, post, view));
  if (format === 'atom') return feed.atom1();
  return format === 'rss' ? feed.rss2() : feed.json1();
}

/** When something in the list changed last. The epoch for none: the same list is the same text. */
function latest(posts: readonly Post[]): Date {
  return new Date(posts.reduce((newest, { updatedAt }) => Math.max(newest, Date.parse(updatedAt)), 0));
}

function itemOf(format: FeedFormat, post: Post, view: SiteView): Item {
  const address = addressOf(post, view);
  return {
    id: address,
    guid: address,
    link: address,
    title: titleIn(format, post, view.base),
    date: new Date(post.updatedAt),
    published: new Date(publishedOf(post)),
    content: clean(bodyMarkup(post, view, 'page').markup).trim(),
    category: categoriesOf(post).map((name) => {
      const text = format === 'atom' ? attributeText(name) : clean(name);
      return { name: text, term: text };
    }),
  };
}

/** Atom's is HTML; the other two are plain. In JSON a post without a name goes without (jsonfeed.org). */
function titleIn(format: FeedFormat, post: Post, base: string): string {
  if (format === 'json' && !hasTitle(post.properties)) return '';
  const title = clean(titleOf(post, base));
  if (format === 'atom') return html`${title}`.markup;
  return format === 'rss' ? title.replaceAll(']]>', ']]&gt;') : title; // the library ends one CDATA section only
}

function categoriesOf({ properties }: Post): string[] {
  return valuesOf(properties, 'category').flatMap((value) => asText(value) ?? []);
}

/** The library leaves `&` and `<` in attributes as they are, and sees to quotes itself. */
function attributeText(text: string): string {
  return clean(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Without the characters that XML 1.0 (2.2) has no way to write. */
function clean(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
}
