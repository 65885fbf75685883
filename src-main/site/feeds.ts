import type { Post } from '../contract/posts.ts';
import { html, type Html, xmlText } from '../http/html.ts';
import { offsetText } from '../posts/date.ts';
import { hasTitle } from '../posts/kind.ts';
import type { Author } from '../posts/rendering/author.ts';
import { addressOf, beginning, bodyMarkup, type EntryView, titleOf } from '../posts/rendering/entry.ts';
import { enclosureOf, smallPictureOf } from '../posts/rendering/media.ts';
import { hubAt, type SiteFeed } from '../posts/rendering/site-list.ts';
import { propertyText } from '../posts/values.ts';
import { publishedOf } from '../posts/visibility.ts';

/** The data of a feed page, apart from its posts. Paths can include a query. */
interface FeedPage {
  readonly feed: SiteFeed;
  readonly path: string;
  readonly next: string | undefined;
}

/**
 * Returns a page of a feed, with the posts newest first. `modified`: the time of the most recent change to the page, in
 * ms; 0 without posts. A post with an earlier date changes the page when it is created.
 */
export function feedText(
  { feed: { list, format, path: first }, path, next }: FeedPage,
  posts: readonly Post[],
  view: EntryView,
): { readonly text: string; readonly modified: number } {
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
  return { text, modified: Math.max(updated, ...posts.map(({ createdAt }) => Date.parse(createdAt))) };
}

/**
 * The maximum length of a post's HTML in a feed, in characters: ten times that of a long article. A longer post is only
 * begun, because readers fetch the whole feed again and again.
 */
const longestInFeed = 500_000;

function itemOf(post: Post, view: EntryView): FeedItem {
  const { properties } = post;
  const published = publishedDate(post);
  const summary = propertyText(properties, 'summary');
  const { categories } = view.contentOf(post);
  const whole = bodyMarkup(post, view, 'page').markup;
  return {
    id: xmlText(post.feedId ?? addressOf(post, view)),
    url: addressOf(post, view),
    title: xmlText(titleOf(post, view)),
    hasOwnTitle: hasTitle(properties, view.contentOf(post).words),
    summary: summary === undefined ? undefined : xmlText(summary),
    content: xmlText(whole.length > longestInFeed ? beginning(post, view).markup : whole).trim(),
    published,
    updated: post.editedAt === undefined ? published : editedDate(post.editedAt),
    categories: categories.map(xmlText),
    picture: smallPictureOf(properties, view),
    enclosure: enclosureOf(properties, view),
  };
}

/** A post as feeds show it. Its strings contain no characters that XML can't represent. */
interface FeedItem {
  /** The id of the entry, which stays when the post moves. */
  readonly id: string;
  readonly url: string;
  /** The title as plain text. If a post has no title, this title is made from the post's text. */
  readonly title: string;
  readonly hasOwnTitle: boolean;
  readonly summary: string | undefined;
  /** The content as HTML. All of its URLs are absolute. */
  readonly content: string;
  readonly published: FeedDate;
  readonly updated: FeedDate;
  readonly categories: readonly string[];
  /** The URL of the first picture, in the size for feeds. */
  readonly picture: string | undefined;
  readonly enclosure: { readonly url: string; readonly type: string; readonly bytes: number } | undefined;
}

/** A page of a feed (RFC 5005). All URLs are absolute. */
interface Feed {
  readonly title: string;
  /** The URL of the HTML page that shows the same posts. This URL also identifies the feed. */
  readonly page: string;
  readonly self: string;
  readonly first: string;
  /** The URL of the next older page of the feed. */
  readonly next: string | undefined;
  /** The URL of the WebSub hub; absent on all pages except the first, because only the first page is a WebSub topic. */
  readonly hub: string | undefined;
  readonly author: Author;
  /**
   * The time of the most recent change to an item, in ms; 0 for an empty feed. If an empty feed used the current time
   * instead, its text would change on every request.
   */
  readonly updated: number;
  readonly items: readonly FeedItem[];
}

/** Returns a feed in the Atom format (RFC 4287). */
function atomFeed({ title, page, self, first, next, hub, author, updated, items }: Feed): string {
  const feed = html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${page}</id>
<title>${title}</title>
<updated>${rfc3339({ at: updated, offset: 0 })}</updated>
<link rel="alternate" type="text/html" href="${page}"/>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="first" type="application/atom+xml" href="${first}"/>
${next && html`<link rel="next" type="application/atom+xml" href="${next}"/>\n`}${hub && html`<link rel="hub" href="${hub}"/>\n`}${authorMarkup(author)}
<generator>Porchlight</generator>
${items.map((item) => entry(item, author))}</feed>
`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${feed.markup}`;
}

function entry(item: FeedItem, author: Author): Html {
  const { id, url, title, summary, content, published, updated, categories, enclosure } = item;
  return html`<entry>
<id>${id}</id>
<title>${title}</title>
<link rel="alternate" type="text/html" href="${url}"/>
${enclosure && html`<link rel="enclosure" type="${enclosure.type}" length="${enclosure.bytes}" href="${enclosure.url}"/>\n`}<published>${rfc3339(published)}</published>
<updated>${rfc3339(updated)}</updated>
${authorMarkup(author)}
${categories.map((name) => html`<category term="${name}"/>\n`)}${summary && html`<summary>${summary}</summary>\n`}<content type="html">${content}</content>
</entry>
`;
}

function authorMarkup({ name, url }: Author): Html {
  return html`<author><name>${name}</name><uri>${url}</uri></author>`;
}

/** Returns a feed in the format RSS 2.0 (rssboard.org), with Atom's elements for links. */
function rssFeed({ title, page, self, first, next, hub, author, updated, items }: Feed): string {
  const changed = rfc822({ at: updated, offset: 0 });
  const rss = html`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>${title}</title>
<link>${page}</link>
<description>Posts by ${author.name}</description>
<language>en</language>
${items.length > 0 && html`<lastBuildDate>${changed}</lastBuildDate>\n`}<generator>Porchlight</generator>
<atom:link rel="self" type="application/rss+xml" href="${self}"/>
<atom:link rel="first" type="application/rss+xml" href="${first}"/>
${next && html`<atom:link rel="next" type="application/rss+xml" href="${next}"/>\n`}${hub && html`<atom:link rel="hub" href="${hub}"/>\n`}${items.map((item) => itemMarkup(item, author.name))}</channel>
</rss>
`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${rss.markup}`;
}

function itemMarkup(
  { id, url, title, hasOwnTitle, content, published, categories, enclosure }: FeedItem,
  author: string,
): Html {
  // An item needs a title or a description. A title made from the text would only repeat the description.
  const isTitled = hasOwnTitle || content === '';
  return html`<item>
${isTitled && html`<title>${title}</title>\n`}<link>${url}</link>
<guid isPermaLink="false">${id}</guid>
<pubDate>${rfc822(published)}</pubDate>
<dc:creator>${author}</dc:creator>
${categories.map((name) => html`<category>${name}</category>\n`)}${enclosure && html`<enclosure length="${enclosure.bytes}" type="${enclosure.type}" url="${enclosure.url}"/>\n`}<description>${content}</description>
</item>
`;
}

/** Returns a feed in the format JSON Feed 1.1 (jsonfeed.org). */
function jsonFeed({ title, page, self, next, hub, author, items }: Feed): string {
  return JSON.stringify(
    {
      version: 'https://jsonfeed.org/version/1.1',
      title,
      home_page_url: page,
      feed_url: self,
      next_url: next,
      language: 'en',
      authors: [authorOf(author)],
      hubs: hub === undefined ? undefined : [{ type: 'WebSub', url: hub }],
      items: items.map((item) => jsonItemOf(item, author)),
    },
    null,
    2,
  );
}

function jsonItemOf(item: FeedItem, author: Author): Record<string, unknown> {
  const { id, url, summary, content, published, updated, categories, picture, enclosure } = item;
  return {
    id,
    url,
    title: item.hasOwnTitle ? item.title : undefined,
    summary,
    content_html: content,
    image: picture,
    date_published: rfc3339(published),
    date_modified: rfc3339(updated),
    authors: [authorOf(author)],
    tags: categories.length === 0 ? undefined : categories,
    attachments: enclosure && [
      { url: enclosure.url, mime_type: enclosure.type, size_in_bytes: enclosure.bytes },
    ],
  };
}

function authorOf({ name, url, photo }: Author): Record<string, unknown> {
  return { name, url, avatar: photo };
}

/** A time in ms, and the offset of the author's clock from UTC in minutes. */
interface FeedDate {
  readonly at: number;
  readonly offset: number;
}

/** Returns when a post was published, with the UTC offset in the post's date. */
function publishedDate({ properties, createdAt }: Pick<Post, 'properties' | 'createdAt'>): FeedDate {
  const { at, offset } = publishedOf(properties, Date.parse(createdAt));
  return { at, offset };
}

/** Returns a time (ISO 8601, UTC) as a feed date. */
const editedDate = (moment: string): FeedDate => ({ at: Date.parse(moment), offset: 0 });

/** Returns a date in the format of RFC 3339, which Atom and JSON Feed use. */
function rfc3339({ at, offset }: FeedDate): string {
  const local = new Date(at + offset * 60_000).toISOString();
  return offset === 0 ? local : local.replace('Z', offsetText(offset));
}

/** Returns a date in the format of RFC 822 with a four-digit year, which RSS uses. */
function rfc822({ at, offset }: FeedDate): string {
  return new Date(at + offset * 60_000).toUTCString().replace('GMT', offsetText(offset, ''));
}
