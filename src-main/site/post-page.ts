import type { Post } from '../contract/posts.ts';
import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { builtInUrl } from '../posts/address.ts';
import { addressOf, entryMarkup, type EntryView, shownTitle } from '../posts/rendering/entry.ts';
import { pictureOf } from '../posts/rendering/media.ts';
import { dateMarkup } from '../posts/rendering/moment.ts';
import { excerpt } from '../posts/rendering/rich-text.ts';
import { propertyText } from '../posts/values.ts';
import { publishedOf } from '../posts/visibility.ts';
import { type Frame, framed } from './frame.ts';
import { responsesMarkup } from './response-views.ts';
import type { ResponsePage } from './responses.ts';
import { searchForm } from './search-page.ts';

/** Returns the home page of a server that hasn't been set up yet. */
export function firstStartPage({ links }: Pick<Frame, 'links'>): Page {
  return {
    title: 'Porchlight',
    head: html`${links.map(({ rel, href }) => html`<link rel="${rel}" href="${href}" /> `)}`,
    body: html`<main class="center">
      <h1>Porchlight</h1>
      <p>This Porchlight server is running. Its owner has not set it up yet.</p>
    </main>`,
  };
}

/** The links from a post to the posts beside it. */
export interface PostsBeside {
  readonly older?: { readonly url: string; readonly title: string };
  readonly newer?: { readonly url: string; readonly title: string };
}

/**
 * Returns the page of one post with its responses, the ways to reply, and links to the posts beside it. Asks search
 * engines not to index unlisted posts.
 */
export function postPage(
  frame: Frame & EntryView,
  post: Post,
  responses: ResponsePage,
  beside: PostsBeside = {},
): Page {
  const title = shownTitle(post, frame);
  const about = excerpt(propertyText(post.properties, 'summary') ?? frame.contentOf(post).text, 200);
  const picture = pictureOf(post.properties, frame);
  return framed(frame, {
    title: `${title} – ${frame.info.name}`,
    canonical: addressOf(post, frame),
    ...(about !== '' && { description: about }),
    preview: { title, type: 'article', picture },
    ...(post.visibility === 'unlisted' && { head: html`<meta name="robots" content="noindex">` }),
    main: html`${entryMarkup(
      post,
      frame,
      'page',
      responsesMarkup(responses, builtInUrl(frame.base, post.path), frame.zone),
    )}${replyMarkup({ address: addressOf(post, frame), title, email: frame.info.replyEmail })}
      ${besideMarkup(beside)}`,
  });
}

function besideMarkup({ older, newer }: PostsBeside): Html | null {
  if (!older && !newer) return null;
  return html`<nav class="pages beside" aria-label="Older and newer posts">
    <span>${older && html`<a rel="prev" href="${older.url}"><span class="soft">Older</span> <bdi>${older.title}</bdi></a>`}</span>
    <span>${newer && html`<a rel="next" href="${newer.url}"><span class="soft">Newer</span> <bdi>${newer.title}</bdi></a>`}</span>
  </nav>`;
}

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
    return html`<li><a href="${addressOf(post, view)}" dir="auto">${shownTitle(post, view)}</a> ${dateMarkup('', published, view.zone)}</li> `;
  });
  return html`<h2>Recent posts</h2>
    <ul class="recent">${items}</ul>`;
}

/** What a reader may reply to. */
interface Answerable {
  /** The URL of the post's page. */
  readonly address: string;
  readonly title: string;
  /** The email address that the owner published for replies; empty if there is none. */
  readonly email: string;
}

/**
 * Returns the ways to reply to a post: on the reader's own site, of which this site learns by a webmention, and by email.
 * The form needs no script, and the mailbox takes it while the owner's computer sleeps.
 */
function replyMarkup({ address, title, email }: Answerable): Html {
  return html`<section class="reply" aria-label="Reply">
    <details><summary>Reply on your own site</summary>
      <form method="post" action="/webmention" class="fields">
        <p>Write a post on your site that links to this page. Many sites then notify this one automatically. If yours doesn’t, enter the address of your post here.</p>
        <input type="hidden" name="target" value="${address}">
        <label for="reply-source">Address of your post</label>
        <input id="reply-source" name="source" type="url" required maxlength="2048" placeholder="https://">
        <button>Send</button>
      </form>
    </details>
    ${email !== '' && html`<p><a href="${mailTo(email, `Re: ${excerpt(title, 100)}`)}">Reply by email</a></p>`}
  </section>`;
}

const mailTo = (email: string, subject: string): string =>
  `mailto:${encodeURIComponent(email).replace('%40', '@')}?subject=${encodeURIComponent(subject.replace(/\p{Surrogate}/gu, ''))}`;
