import type { Page } from '../http/page.ts';
import { html, type Html } from '../http/html.ts';
import { authorPhoto } from './author.ts';
import { categoryPath } from '../post/inline-links.ts';
import { addressOf, entryMarkup, type EntryView } from './entry.ts';
import { framed, type Frame } from './frame.ts';
import type { Post } from '../contract/posts.ts';
import type { ReadPage } from './reader.ts';
import { countsMarkup } from './response-views.ts';

/** One page of a list: its posts, and the URLs of the newer and the older page if they exist. */
export interface PostListing {
  readonly items: ReadPage['items'];
  readonly newer?: string;
  readonly older?: string;
}

/** What a list needs in addition to its posts. */
export interface ListView extends Frame, EntryView {
  /** Returns the number of responses to a post in words; undefined if there are none. */
  readonly echoOf: (post: Post) => string | undefined;
}

/** Returns the front page: the owner and their posts. */
export function homePage(frame: ListView, listing: PostListing): Page {
  const { author } = frame;
  return framed(frame, {
    title: author.name,
    ...(listing.newer === undefined && { canonical: `${frame.base}/` }),
    head: pageLinks(listing),
    header: html`<div class="owner h-card">${authorPhoto(frame)}
      <h1><a class="p-name u-url u-uid" rel="me" href="${author.url}" dir="auto">${author.name}</a></h1>
    </div>`,
    main:
      listing.items.length === 0
        ? html`<p class="soft"><span class="light" aria-hidden="true"></span>No posts yet.</p>`
        : html`<section class="h-feed">
            <h2 class="p-name hidden">Posts</h2>
            ${entries(frame, listing)}
          </section>
          ${pageNavigation(listing)}`,
  });
}

/** Returns the page of one category. */
export function categoryPage(frame: ListView, category: string, listing: PostListing): Page {
  return framed(frame, {
    title: `${category} – ${frame.author.name}`,
    ...(listing.newer === undefined && { canonical: frame.base + categoryPath(category) }),
    head: pageLinks(listing),
    main: html`<section class="h-feed">
        <h1 class="p-name" dir="auto">${category}</h1>
        <h2 class="hidden">Posts</h2>
        ${entries(frame, listing)}
      </section>
      ${pageNavigation(listing)}`,
  });
}

function entries(frame: ListView, { items }: PostListing): Html[] {
  return items.map((post) =>
    entryMarkup(post, frame, 'list', countsMarkup(frame.echoOf(post), addressOf(post, frame))),
  );
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
