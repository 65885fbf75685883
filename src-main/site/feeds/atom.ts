import { html, type Html } from '../../http/html.ts';
import type { Author } from '../../posts/rendering/author.ts';
import type { Feed, FeedItem } from './feed-model.ts';
import { rfc3339 } from './feed-date.ts';

/** Returns a feed in the Atom format (RFC 4287). */
export function atomFeed({ title, page, self, first, next, hub, author, updated, items }: Feed): string {
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
  const { url, title, summary, content, published, updated, categories, enclosure } = item;
  return html`<entry>
<id>${url}</id>
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
