import { html, xmlText } from '../../http/html.ts';
import { sourceUrl, type Mention } from '../mention.ts';
import { aboutMention, authorName } from './mention-words.ts';

/** Returns the mentions as an Atom feed (RFC 4287). `self`: the feed's own URL. */
export function atomText(mentions: readonly Mention[], self: string): string {
  const updated = mentions.reduce(
    (newest, { parsed }) => (parsed > newest ? parsed : newest),
    '1970-01-01T00:00:00Z',
  );
  const feed = html`<feed xmlns="http://www.w3.org/2005/Atom">
<title>Mentions</title>
<id>${xmlText(self)}</id>
<link rel="self" href="${xmlText(self)}"/>
<updated>${updated}</updated>
<generator>Porchlight</generator>
${mentions.map((mention) => entryOf(mention, new URL(self).hostname))}</feed>
`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${feed.markup}`;
}

function entryOf(mention: Mention, host: string) {
  const { id, target, received, parsed, facts } = mention;
  const { content, author } = facts;
  return html`<entry>
<id>tag:${host},2026:mention/${id}</id>
<title>${xmlText(aboutMention(mention))}</title>
<link rel="alternate" type="text/html" href="${xmlText(sourceUrl(facts.url, mention))}"/>
<link rel="related" href="${xmlText(target)}"/>
<published>${received}</published>
<updated>${parsed}</updated>
<author><name>${xmlText(authorName(mention))}</name>${author?.url ? html`<uri>${xmlText(author.url)}</uri>` : ''}</author>
${
  content &&
  html`<content type="${content.html === undefined ? 'text' : 'html'}">${xmlText(content.html ?? content.value)}</content>
`
}</entry>
`;
}
