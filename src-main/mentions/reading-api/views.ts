import { mentionTypes } from '../../contract/mention-types.ts';
import { html, xmlText } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { type Mention, sourceUrl } from '../mention.ts';
import { factsToShow } from '../mention-record.ts';

/** Returns the mentions as a simple HTML page with microformats. The page loads nothing from other servers. */
export function mentionListPage(mentions: readonly Mention[]): Page {
  const list = html`<div class="h-feed">${mentions.map(itemOf)}</div>`;
  return {
    title: 'Mentions',
    body: html`<main>
      <h1>Mentions</h1>
      ${mentions.length > 0 ? list : html`<p>No mentions yet.</p>`}
    </main>`,
  };
}

function itemOf(mention: Mention) {
  const { source, received } = mention;
  const text = factsToShow(mention).content?.value;
  return html`<article class="h-cite">
    <h2><a class="u-url" rel="nofollow ugc noopener" href="${source}">${aboutMention(mention)}</a></h2>
    ${text !== undefined && html`<p class="p-content">${text}</p>`}
    <p class="soft">
      <span class="p-author">${authorName(mention)}</span>,
      <time class="dt-published" datetime="${received}">${received.slice(0, 10)}</time>
    </p>
  </article>`;
}

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
  const { id, target, received, parsed } = mention;
  const facts = factsToShow(mention);
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

/** Returns the author's name, or else the source's host (AU-3). */
function authorName(mention: Mention): string {
  return factsToShow(mention).author?.name || new URL(mention.source).host;
}

/** Returns a one-line description of a mention, such as “Alice liked https://me.example/post”. */
function aboutMention(mention: Mention): string {
  const { type, rsvp } = factsToShow(mention);
  const answer = type === 'rsvp' && rsvp !== undefined ? ` (${rsvp})` : '';
  return `${authorName(mention)} ${mentionTypes[type].deed} ${mention.target}${answer}`;
}
