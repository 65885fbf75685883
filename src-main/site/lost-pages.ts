import type { Post } from '../contract/posts.ts';
import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { publishedOf } from '../posts/published.ts';
import { addressOf, titleOf, type EntryView } from '../posts/rendering/entry.ts';
import { framed, type Frame } from './frame.ts';
import { dateMarkup } from '../posts/rendering/moment.ts';
import { searchForm } from './search-page.ts';

/** The number of newest posts to show on the pages for missing or deleted content. */
export const recentPosts = 5;

/** Returns the page that replaces a deleted post. The page reveals only that the post existed (Webmention 3.1.5). */
export function tombstonePage(frame: Frame & EntryView, recent: readonly Post[]): Page {
  return lostPage(frame, recent, {
    title: 'This post was deleted',
    words: 'Its author removed it, so its content is no longer here.',
  });
}

/** Returns the page for a URL that doesn't exist on this site. */
export function nothingPage(frame: Frame & EntryView, recent: readonly Post[]): Page {
  return lostPage(frame, recent, {
    title: 'Page not found',
    words: 'The link may be old or mistyped.',
  });
}

function lostPage(
  frame: Frame & EntryView,
  recent: readonly Post[],
  { title, words }: { title: string; words: string },
): Page {
  return framed(frame, {
    title,
    head: html`<meta name="robots" content="noindex">`,
    main: html`<h1>${title}</h1>
      <p>${words} Search this site, browse the <a href="/archive">archive</a>, or go to the <a href="/">home page</a>.</p>
      ${searchForm('')}
      ${recentList(frame, recent)}`,
  });
}

function recentList(view: EntryView, recent: readonly Post[]): Html | null {
  if (recent.length === 0) return null;
  const items = recent.map((post) => {
    const published = publishedOf(post.properties, Date.parse(post.createdAt)).text;
    return html`<li><a href="${addressOf(post, view)}" dir="auto">${titleOf(post, view)}</a> ${dateMarkup('', published, view.zone)}</li> `;
  });
  return html`<h2>Recent posts</h2>
    <ul class="recent">${items}</ul>`;
}
