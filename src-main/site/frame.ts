import type { LinkTag } from '../contract/setup.ts';
import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import type { SiteView } from './author.ts';
import { siteStyle } from './site-style.ts';

/** The data for the frame around every page of the site. */
export interface Frame extends SiteView {
  /** The links with which apps and sites discover this server. */
  readonly links: readonly LinkTag[];
}

export interface Inside {
  readonly title: string;
  readonly main: Html;
  /** Replaces the author's name, which links to the home page. */
  readonly header?: Html;
  /** The page's permanent address, if it has one. */
  readonly canonical?: string;
  /** Additional elements for the head of this page. */
  readonly head?: Html;
}

const feeds = [
  { path: '/feed.atom', type: 'application/atom+xml', words: 'Atom' },
  { path: '/feed.rss', type: 'application/rss+xml', words: 'RSS' },
  { path: '/feed.json', type: 'application/feed+json', words: 'JSON Feed' },
];

/** Returns a page of the site: a link to the home page, the content, and links to the feeds. */
export function framed(
  { links, base, author }: Frame,
  { title, main, header, canonical, head }: Inside,
): Page {
  return {
    title,
    style: siteStyle,
    mediaFrom: `'self' ${new URL(base).origin}`,
    head: html`${links.map(({ rel, href }) => html`<link rel="${rel}" href="${href}">\n`)}
${canonical === undefined ? null : html`<link rel="canonical" href="${canonical}">`}
${feeds.map(({ path, type, words }) => html`<link rel="alternate" type="${type}" title="${words}" href="${path}">\n`)}${head}`,
    body: html`<header class="column">${
      header ??
      html`<div class="owner"><a href="/"><span class="light" aria-hidden="true"></span><bdi>${author.name}</bdi></a></div>`
    }</header>
<main class="column">${main}</main>
<footer class="column"><span>Feeds:</span> ${feeds.map(
      ({ path, type, words }) => html`<a href="${path}" type="${type}">${words}</a> `,
    )}</footer>`,
  };
}

/** Returns the Link header of a page: one line per endpoint, with rel as the first parameter (WR-15, IA-1). */
export function linkHeader(links: readonly LinkTag[]): string[] {
  return links.map(({ rel, href }) => `<${href}>; rel="${rel}"`);
}
