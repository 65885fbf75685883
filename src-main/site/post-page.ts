import type { Post } from '../contract/posts.ts';
import { html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { addressOf, entryMarkup, titleOf } from './entry.ts';
import { framed, type Frame } from './frame.ts';

/** A post, alone on its page. Search engines are asked to leave out what is unlisted. */
export function postPage(frame: Frame, post: Post): Page {
  return framed(frame, {
    title: `${titleOf(post, frame.base)} – ${frame.author.name}`,
    canonical: addressOf(post, frame),
    ...(post.visibility === 'unlisted' && { head: html`<meta name="robots" content="noindex">` }),
    main: entryMarkup(post, frame, 'page'),
  });
}

/** What stays of a deleted post: that it was here, and nothing of what it said (Webmention 3.1.5). */
export function tombstonePage(frame: Frame): Page {
  return framed(frame, {
    title: 'This post is gone',
    main: html`<h1>This post is gone</h1>
      <p>It was deleted. <a href="/">Go to the front page</a> for what is still here.</p>`,
  });
}

/** For an address at which there is nothing to read. */
export function nothingPage(frame: Frame): Page {
  return framed(frame, {
    title: 'There is nothing here',
    main: html`<h1>There is nothing here</h1>
      <p>Perhaps the address has a slip in it. <a href="/">Go to the front page</a>.</p>`,
  });
}
