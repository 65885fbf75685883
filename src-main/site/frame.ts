import type { LinkTag } from '../contract/setup.ts';
import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import type { SiteView } from './author.ts';
import { siteStyle } from './site-style.ts';

/** What surrounds every page of the site. */
export interface Frame extends SiteView {
  /** The links by which apps and sites find this server. */
  readonly links: readonly LinkTag[];
}

export interface Inside {
  readonly title: string;
  readonly main: Html;
  /** Instead of the author's name as the way home. */
  readonly header?: Html;
  /** The page's own address, where it has one for good. */
  readonly canonical?: string;
  /** More for the head: link elements of this page alone. */
  readonly head?: Html;
}

const feeds = [
  { path: '/feed.atom', type: 'application/atom+xml', words: 'Atom' },
  { path: '/feed.rss', type: 'application/rss+xml', words: 'RSS' },
  { path: '/feed.json', type: 'application/feed+json', words: 'JSON Feed' },
];

/** A page of the site: the way home, what it is about, and how to follow it. */
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

/** The Link header of a page: one line an endpoint, relation first (WR-15, IA-1). */
export function linkHeader(links: readonly LinkTag[]): string[] {
  return links.map(({ rel, href }) => `<${href}>; rel="${rel}"`);
}
