import { html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { Mention } from '../mention.ts';
import { aboutMention, authorName } from './mention-words.ts';

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
  const { facts, source, received } = mention;
  const text = facts.content?.value;
  return html`<article class="h-cite">
    <h2><a class="u-url" rel="nofollow ugc noopener" href="${source}">${aboutMention(mention)}</a></h2>
    ${text !== undefined && html`<p class="p-content">${text}</p>`}
    <p class="soft">
      <span class="p-author">${authorName(mention)}</span>,
      <time class="dt-published" datetime="${received}">${received.slice(0, 10)}</time>
    </p>
  </article>`;
}
