import { createHash } from 'node:crypto';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import type { Post } from '../../contract/posts.ts';
import { html } from '../../http/html.ts';

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.ChildNode;

/** A post that has its own URL on the owner's site. */
export type PostAtHome = Post & Required<Pick<Post, 'home'>>;

/** Returns a short hash that identifies the version of a post. It changes whenever the post changes. */
function liveMark(post: PostAtHome): string {
  const { type, properties, markdown, status, visibility, home } = post;
  const shown = JSON.stringify([type, properties, markdown, status, visibility, home.url, home.former]);
  return createHash('sha256').update(shown).digest('hex').slice(0, 12);
}

/** Returns the version mark as HTML: an invisible link to the post's own URL, which microformats parsers find. */
export function hiddenMark(post: PostAtHome): string {
  const { url } = post.home;
  return html`<div hidden><a class="u-url u-uid" href="${url}" data-porchlight="${liveMark(post)}"></a></div>`
    .markup;
}

/**
 * The URL fragment that contains the version mark. Hugo needs it, because Hugo removes the hidden HTML from Markdown.
 */
const fragment = (mark: string) => `#porchlight-${mark}`;

/**
 * Returns the version mark as a Markdown link without text, for Markdown engines that remove HTML. The link's title
 * gives it an accessible name.
 */
export const linkMark = (post: PostAtHome) =>
  `[](<${post.home.url}${fragment(liveMark(post))}> "Link to this post")`;

/** The maximum number of elements to scan, more than a real page has. */
const mostElements = 100_000;

/**
 * Returns whether a page's HTML shows the current version of a post (`live`), and whether it states the post's own URL,
 * for example as its canonical URL (`hasOwnUrl`).
 */
export function liveState(page: string, post: PostAtHome): { live: boolean; hasOwnUrl: boolean } {
  const { url } = post.home;
  const mark = liveMark(post);
  const found = { live: false, hasOwnUrl: false };
  for (const element of elementsOf(page)) {
    const attributes = new Map(element.attrs.map(({ name, value }) => [name, value]));
    const href = attributes.get('href') ?? '';
    const address = URL.canParse(href, url) ? new URL(href, url).href : '';
    const isMarked = attributes.get('data-porchlight') === mark || address.endsWith(fragment(mark));
    const isOwn = address.split('#')[0] === url;
    const isOurs = attributes.has('data-porchlight') || address.includes(fragment(''));
    const names = `${attributes.get('class') ?? ''} ${attributes.get('rel') ?? ''}`.split(/\s+/);
    if (isMarked) found.live = true;
    if (isOwn && (isOurs || names.includes('u-url') || names.includes('canonical'))) found.hasOwnUrl = true;
  }
  return found;
}

function elementsOf(page: string): Element[] {
  const found: Element[] = [];
  const waiting: Node[] = [...parse(page).childNodes];
  for (let node = waiting.pop(); node && found.length < mostElements; node = waiting.pop()) {
    if ('attrs' in node) found.push(node);
    if ('childNodes' in node) for (const child of node.childNodes) waiting.push(child);
  }
  return found;
}
