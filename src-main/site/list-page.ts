import type { Post } from '../contract/posts.ts';
import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { authorPhoto, authorCard } from '../posts/rendering/author.ts';
import { addressOf, entryMarkup, type EntryView, shownTitle } from '../posts/rendering/entry.ts';
import { feedsOf, homeList, hubAt, type SiteList } from '../posts/rendering/site-list.ts';
import { type Frame, framed } from './frame.ts';
import { countsMarkup } from './response-views.ts';
import { openableMarkup } from '../posts/rendering/embedded.ts';
import { namedMedia } from '../posts/rendering/media.ts';
import { dateMarkup } from '../posts/rendering/moment.ts';
import { excerpt } from '../posts/rendering/rich-text.ts';
import { publishedOf } from '../posts/visibility.ts';

/** One page of a list: its posts, and the URLs of the next newer and next older page, if these pages exist. */
export interface PostListing {
  readonly items: readonly Post[];
  readonly newer?: string;
  readonly older?: string;
}

/** The data that a list page needs in addition to its posts. */
export interface ListView extends Frame, EntryView {
  readonly info: Frame['info'];
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

/** Returns the message on the home page of a site without posts. */
function welcome(name: string): Html {
  return html`<article class="own">
    <h2>Nothing here yet</h2>
    <p><bdi>${name}</bdi> hasn’t posted anything yet. Notes, photos and articles will appear on this page.</p>
    <p>To get the first post, <a href="/subscribe">subscribe to this site</a>.</p>
  </article>`;
}

/** Returns a page of a list with the requested posts; photos are a grid. `intro`: markup to show above the posts. */
export function postListPage(frame: ListView, list: SiteList, listing: PostListing, intro?: Html): Page {
  return framed(frame, {
    title: `${list.title} – ${frame.info.name}`,
    ...(listing.newer === undefined && { canonical: frame.base + list.path }),
    head: html`${pageLinks(listing)}${hubLinks(frame, list, listing)}`,
    ...(feedsOf(list).length > 0 && { list }),
    main: html`<section class="h-feed">
        ${list.kind === 'category' || list.kind === 'kind' ? null : html`<p class="soft up"><a href="/archive">Archive</a></p>`}
        <h1 class="p-name" dir="auto">${list.title}</h1>
        ${intro}
        <h2 class="hidden">Posts</h2>
        ${list.filter.kind === 'photo' ? photoGrid(frame, listing.items) : entries(frame, listing.items)}
      </section>
      ${pageNavigation(listing)}`,
  });
}

/** Returns the markup of a list's posts, each with the number of its responses. */
function entries(frame: ListView, items: PostListing['items']): Html[] {
  return items.map((post) =>
    entryMarkup(post, frame, 'list', countsMarkup(frame.echoOf(post), addressOf(post, frame))),
  );
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

/**
 * Returns the photo posts of a list as a grid: the first photo of each, linked to its post. The beginning of the text is
 * there for microformats parsers only.
 */
function photoGrid(view: EntryView, posts: readonly Post[]): Html {
  return html`<div class="photos">${posts.map((post) => tile(post, view))}</div>`;
}

function tile(post: Post, view: EntryView): Html {
  const photos = namedMedia(post.properties, view.base).filter(({ property }) => property === 'photo');
  const [first] = photos;
  const published = publishedOf(post.properties, Date.parse(post.createdAt)).text;
  const title = shownTitle(post, view);
  const { text } = view.contentOf(post);
  const place = { isLinked: true, cell: { columns: 3, isWide: false } };
  const shown = first && openableMarkup({ ...first, ...place }, view, 'u-photo');
  const name = first?.alt === '' && html` aria-label="${title}"`;
  return html`<article class="h-entry">
    <a class="u-url u-uid" href="${addressOf(post, view)}"${name}>${shown ?? title}</a>
    <p class="soft">${dateMarkup('dt-published', published, view.zone)}${photos.length > 1 && `, ${photos.length}\u00A0photos`}</p>${authorCard(view)}
    ${text !== '' && html`<p class="p-summary" dir="auto" hidden>${excerpt(text, 400)}</p>`}
  </article> `;
}
