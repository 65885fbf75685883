import type { Author } from '../../posts/rendering/author.ts';
import type { Feed, FeedItem } from './feed-model.ts';
import { rfc3339 } from './feed-date.ts';

/** Returns a feed in the format JSON Feed 1.1 (jsonfeed.org). */
export function jsonFeed({ title, page, self, next, hub, author, items }: Feed): string {
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
      items: items.map((item) => itemOf(item, author)),
    },
    null,
    2,
  );
}

function itemOf(item: FeedItem, author: Author): Record<string, unknown> {
  const { url, summary, content, published, updated, categories, enclosure } = item;
  return {
    id: url,
    url,
    title: item.hasOwnTitle ? item.title : undefined,
    summary,
    content_html: content,
    image: enclosure?.type.startsWith('image/') === true ? enclosure.url : undefined,
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
