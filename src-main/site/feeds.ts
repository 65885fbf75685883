import { Feed, type Item } from 'feed';
import type { Post } from '../contract/posts.ts';
import { publishedAt } from '../post/published.ts';
import { html, xmlText } from '../http/html.ts';
import { addressOf, bodyMarkup, titleOf, type EntryView } from './entry.ts';
import { hasTitle } from '../post/kind.ts';
import { enclosureOf } from './media.ts';
import { asText, propertyValues } from '../post/values.ts';

export type FeedFormat = 'atom' | 'rss' | 'json';

/** The media types of the formats (RFC 4287, RSS Advisory Board, jsonfeed.org). */
export const feedTypes: Readonly<Record<FeedFormat, string>> = {
  atom: 'application/atom+xml; charset=utf-8',
  rss: 'application/rss+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

/** Returns the posts as a feed, newest first. Leaves out control characters, which feeds can't contain. */
export function feedText(format: FeedFormat, posts: readonly Post[], view: EntryView): string {
  const { base, author } = view;
  const feed = new Feed({
    id: `${base}/`,
    link: `${base}/`,
    title: xmlText(author.name),
    updated: latest(posts),
    generator: 'Porchlight',
    feedLinks: { [format]: `${base}/feed.${format}` },
    author: { name: xmlText(author.name), link: new URL(author.url, base).href },
  });
  for (const post of posts) feed.addItem(itemOf(format, post, view));
  if (format === 'atom') return feed.atom1();
  return format === 'rss' ? feed.rss2() : feed.json1();
}

/**
 * Returns when the list of posts last changed, or the epoch for an empty list, so that the text of an unchanged feed
 * stays the same.
 */
function latest(posts: readonly Post[]): Date {
  return new Date(posts.reduce((newest, { updatedAt }) => Math.max(newest, Date.parse(updatedAt)), 0));
}

function itemOf(format: FeedFormat, post: Post, view: EntryView): Item {
  const address = addressOf(post, view);
  return {
    id: address,
    guid: address,
    link: address,
    title: titleIn(format, post, view),
    date: new Date(post.updatedAt),
    published: new Date(publishedAt(post)),
    ...attached(format, post, view),
    content: xmlText(bodyMarkup(post, view, 'page').markup).trim(),
    category: categoriesOf(post).map((name) => {
      const text = format === 'atom' ? attributeText(name) : xmlText(name);
      return { name: text, term: text };
    }),
  };
}

/**
 * Returns a post's recording or picture in the form that the feed format uses. In Atom, only the post's content shows
 * it, because the feed library would derive a wrong media type from the extension (image/jpg).
 */
function attached(
  format: FeedFormat,
  post: Post,
  view: EntryView,
): Pick<Item, 'enclosure' | 'image' | 'extensions'> {
  const enclosure = format === 'atom' ? undefined : enclosureOf(post.properties, view);
  if (!enclosure) return {};
  const { url, type, bytes } = enclosure;
  if (format === 'rss')
    return { enclosure: { url: attributeText(url), type: attributeText(type), length: bytes } };
  // The feed library can write an array here, but its type allows only objects.
  const list: object = [{ url, mime_type: type, size_in_bytes: bytes }];
  return {
    ...(type.startsWith('image/') && { image: url }),
    extensions: [{ name: 'attachments', objects: list as Record<string, unknown> }],
  };
}

/**
 * Returns a post's title: HTML for Atom, plain text otherwise. In JSON, a post without a name has no title
 * (jsonfeed.org).
 */
function titleIn(format: FeedFormat, post: Post, view: EntryView): string {
  if (format === 'json' && !hasTitle(post.properties, view.contentOf(post).words)) return '';
  const title = xmlText(titleOf(post, view));
  if (format === 'atom') return html`${title}`.markup;
  return format === 'rss' ? title.replaceAll(']]>', ']]&gt;') : title; // the library escapes only the first ]]>
}

function categoriesOf({ properties }: Post): string[] {
  return propertyValues(properties, 'category').flatMap((value) => asText(value) ?? []);
}

/** Escapes `&` and `<` in an attribute. The feed library escapes only the quotes. */
function attributeText(text: string): string {
  return xmlText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
