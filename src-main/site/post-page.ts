import type { Post } from '../contract/posts.ts';
import { html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { addressOf, entryMarkup, titleOf, type EntryView } from './entry.ts';
import { framed, type Frame } from './frame.ts';
import { pictureOf } from './media.ts';
import { responsesMarkup } from './response-views.ts';
import type { ResponsePage } from './responses.ts';
import { propertyText } from '../post/values.ts';
import { excerpt } from './words.ts';

/** Returns the front page of a server that has not been set up yet. */
export function firstStartPage({ links }: Frame): Page {
  return {
    title: 'Porchlight',
    head: html`${links.map(({ rel, href }) => html`<link rel="${rel}" href="${href}" /> `)}`,
    body: html`<main class="center">
      <h1>Porchlight</h1>
      <p>This Porchlight server is running. Its owner has not set it up yet.</p>
    </main>`,
  };
}

/** Returns the page of one post with the responses to it. Search engines are asked not to index unlisted posts. */
export function postPage(frame: Frame & EntryView, post: Post, responses: ResponsePage): Page {
  const title = titleOf(post, frame);
  const about = excerpt(propertyText(post.properties, 'summary') ?? frame.contentOf(post).text, 200);
  const picture = pictureOf(post.properties, frame);
  return framed(frame, {
    title: `${title} – ${frame.author.name}`,
    canonical: addressOf(post, frame),
    head: html`${post.visibility === 'unlisted' && html`<meta name="robots" content="noindex">`}
${about !== '' && html`<meta name="description" content="${about}">`}
<meta property="og:title" content="${title}">
${picture && html`<meta property="og:image" content="${picture}">`}`,
    main: entryMarkup(post, frame, 'page', responsesMarkup(responses, addressOf(post, frame))),
  });
}

/**
 * Returns the page that replaces a deleted post: it says that the post existed, but nothing else (Webmention 3.1.5).
 */
export function tombstonePage(frame: Frame): Page {
  return framed(frame, {
    title: 'This post was deleted',
    main: html`<h1>This post was deleted</h1>
      <p>You can find other posts on the <a href="/">home page</a>.</p>`,
  });
}

/** Returns the page for a URL at which there is nothing to read. */
export function nothingPage(frame: Frame): Page {
  return framed(frame, {
    title: 'Page not found',
    main: html`<h1>Page not found</h1>
      <p>The link may be old or mistyped. <a href="/">Go to the home page</a>.</p>`,
  });
}
