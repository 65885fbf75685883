import type { Post } from '../contract/posts.ts';
import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { authorPhoto } from '../posts/rendering/author.ts';
import { addressOf, entryMarkup, type EntryView } from '../posts/rendering/entry.ts';
import type { ReadPage } from '../posts/rendering/reader.ts';
import { feedsOf, homeList, hubAt, type SiteFeed, type SiteList } from '../posts/rendering/site-list.ts';
import { feedNames, type Frame, framed } from './frame.ts';
import { countsMarkup } from './response-views.ts';

/** One page of a list: its posts, and the URLs of the next newer and next older page, if these pages exist. */
export interface PostListing {
  readonly items: ReadPage['items'];
  readonly newer?: string;
  readonly older?: string;
}

/** The data that a list page needs in addition to its posts. */
export interface ListView extends Frame, EntryView {
  /** Returns the number of responses to a post, in words; undefined if the post has no responses. */
  readonly echoOf: (post: Post) => string | undefined;
}

/** Returns the home page: the owner and their posts. `about`: the owner's description of themselves. */
export function homePage(frame: ListView, listing: PostListing, about?: Html): Page {
  const { name } = frame.info;
  const isFirst = listing.newer === undefined;
  return framed(frame, {
    title: name,
    ...(isFirst && { canonical: `${frame.base}/`, path: '/' }),
    preview: { title: name, type: 'profile' },
    head: html`${pageLinks(listing)}${hubLinks(frame, homeList, listing)}`,
    header: ownerCard(frame, isFirst ? about : undefined),
    main:
      listing.items.length === 0
        ? welcome(frame.info.name)
        : html`<section class="h-feed">
            <h2 class="p-name hidden">Posts</h2>
            ${entries(frame, listing.items)}
          </section>
          ${pageNavigation(listing)}`,
  });
}

/** Returns the welcome message for a site without posts, for visitors and for the owner. */
function welcome(name: string): Html {
  return html`<article class="own">
    <h2>Nothing here yet</h2>
    <p><bdi>${name}</bdi> hasn’t posted anything yet. Notes, photos and articles will appear on this page.</p>
    <p>To get the first post, add this site to your feed reader: <a href="/feed.atom" type="application/atom+xml">Atom</a>, <a href="/feed.rss" type="application/rss+xml">RSS</a> or <a href="/feed.json" type="application/feed+json">JSON Feed</a>.</p>
    <p class="soft">Is this your site? Open Porchlight to write your first post. Under Settings, “Your site” changes the look of this page and adds a photo, links and pages.</p>
  </article>`;
}

/** Returns a page of a list with the requested posts. `intro`: markup to show above the posts. */
export function postListPage(frame: ListView, list: SiteList, listing: PostListing, intro?: Html): Page {
  return framed(frame, {
    title: `${list.title} – ${frame.info.name}`,
    ...(listing.newer === undefined && { canonical: frame.base + list.path }),
    head: html`${pageLinks(listing)}${feedsOf(list).map(feedLink)}${hubLinks(frame, list, listing)}`,
    main: html`<section class="h-feed">
        ${list.kind === 'category' || list.kind === 'kind' ? null : html`<p class="soft up"><a href="/archive">Archive</a></p>`}
        <h1 class="p-name" dir="auto">${list.title}</h1>
        ${intro}
        <h2 class="hidden">Posts</h2>
        ${entries(frame, listing.items)}
      </section>
      ${pageNavigation(listing)}`,
  });
}

/** Returns the markup of a list's posts, each with the number of its responses. */
export function entries(frame: ListView, items: PostListing['items']): Html[] {
  return items.map((post) =>
    entryMarkup(post, frame, 'list', countsMarkup(frame.echoOf(post), addressOf(post, frame))),
  );
}

function feedLink({ list, format, path }: SiteFeed): Html {
  const { type, words } = feedNames[format];
  return html`<link rel="alternate" type="${type}" title="${list.title} (${words})" href="${path}">\n`;
}

/** Returns the links that tell subscribers about the WebSub hub (WebSub 4), for the first page of a list. */
function hubLinks({ base }: Frame, list: SiteList, { newer }: PostListing): Html | null {
  if (newer !== undefined || feedsOf(list).length === 0) return null;
  return html`<link rel="hub" href="${hubAt(base)}">\n<link rel="self" href="${base}${list.path}">\n`;
}

function pageLinks({ newer, older }: PostListing): Html {
  return html`${newer && html`<link rel="prev" href="${newer}">`}${older && html`<link rel="next" href="${older}">`}`;
}

function pageNavigation({ newer, older }: PostListing): Html | null {
  if (newer === undefined && older === undefined) return null;
  return html`<nav class="pages" aria-label="Pages">
    <span>${newer && html`<a rel="prev" href="${newer}">Newer posts</a>`}</span>
    <span>${older && html`<a rel="next" href="${older}">Older posts</a>`}</span>
  </nav>`;
}

/**
 * Returns the header of the home page: the owner's representative h-card (microformats.org/wiki/representative-h-card).
 * `about`: the owner's description of themselves.
 */
function ownerCard(frame: Frame, about: Html | undefined): Html {
  const { author, info } = frame;
  const { name, tagline, links } = info;
  const isTitled = name !== author.name;
  return html`<div class="h-card">
    <div class="owner">${authorPhoto(frame)}
      <div>
        <h1><a class="${isTitled ? '' : 'p-name '}u-url u-uid" rel="me" href="${author.url}" dir="auto">${name}</a></h1>
        ${isTitled && html`<p class="p-name" dir="auto">${author.name}</p>`}
        ${tagline !== '' && html`<p class="p-note soft" dir="auto">${tagline}</p>`}
        ${
          links.length > 0 &&
          html`<ul class="links" aria-label="Links">${links.map(
            ({ label, url }) =>
              html`<li><a class="u-url" rel="me" href="${url}" dir="auto">${label}</a></li> `,
          )}</ul>`
        }
      </div>
    </div>
    ${about && html`<div class="about p-note" dir="auto">${about}</div>`}
  </div>`;
}
