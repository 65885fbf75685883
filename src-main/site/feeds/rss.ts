import { html, type Html } from '../../http/html.ts';
import type { Feed, FeedItem } from './feed-model.ts';
import { rfc822 } from './feed-date.ts';

/** Returns a feed in the format RSS 2.0 (rssboard.org), with Atom's elements for links. */
export function rssFeed({ title, page, self, first, next, hub, author, updated, items }: Feed): string {
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
  { url, title, hasOwnTitle, content, published, categories, enclosure }: FeedItem,
  author: string,
): Html {
  // An item needs a title or a description. A title made from the text would only repeat the description.
  const isTitled = hasOwnTitle || content === '';
  return html`<item>
${isTitled && html`<title>${title}</title>\n`}<link>${url}</link>
<guid isPermaLink="true">${url}</guid>
<pubDate>${rfc822(published)}</pubDate>
<dc:creator>${author}</dc:creator>
${categories.map((name) => html`<category>${name}</category>\n`)}${enclosure && html`<enclosure length="${enclosure.bytes}" type="${enclosure.type}" url="${enclosure.url}"/>\n`}<description>${content}</description>
</item>
`;
}
