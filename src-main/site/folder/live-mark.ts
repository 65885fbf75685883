import { createHash } from 'node:crypto';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import type { Post } from '../../contract/posts.ts';
import { html } from '../../http/html.ts';

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.ChildNode;

/** A post that has its own URL on the owner's site. */
export type PostAtHome = Post & Required<Pick<Post, 'home'>>;

/** Returns a short text that identifies what a post's page shows: it changes whenever the post does. */
function liveMark(post: PostAtHome): string {
  const { type, properties, markdown, status, visibility, home } = post;
  const shown = JSON.stringify([type, properties, markdown, status, visibility, home.url, home.former]);
  return createHash('sha256').update(shown).digest('hex').slice(0, 12);
}

/** Returns the mark as HTML: an invisible link with the post's own URL, which microformats parsers find. */
export function hiddenMark(post: PostAtHome): string {
  const { url } = post.home;
  return html`<div hidden><a class="u-url u-uid" href="${url}" data-porchlight="${liveMark(post)}"></a></div>`
    .markup;
}

/** The fragment of the link that marks Markdown whose HTML is removed (Hugo). */
const fragment = (mark: string) => `#porchlight-${mark}`;

/**
 * Returns the mark as a Markdown link without text, for engines that remove HTML. The title is its name for people who
 * reach it with the keyboard.
 */
export const linkMark = (post: PostAtHome) =>
  `[](<${post.home.url}${fragment(liveMark(post))}> "Link to this post")`;

/** More elements than a page of a site has. */
const mostElements = 100_000;

/**
 * Returns whether the HTML of a page shows the current version of a post (`live`), and whether it names the post's own
 * URL as that of its content.
 */
export function isLive(page: string, post: PostAtHome): { live: boolean; hasOwnUrl: boolean } {
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
