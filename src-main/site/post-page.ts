import type { Post } from '../contract/posts.ts';
import { builtInUrl } from '../posts/address.ts';
import { html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { addressOf, entryMarkup, titleOf, type EntryView } from '../posts/rendering/entry.ts';
import { framed, type Frame } from './frame.ts';
import { pictureOf } from '../posts/rendering/media.ts';
import { responsesMarkup } from './response-views.ts';
import type { ResponsePage } from './responses.ts';
import { propertyText } from '../posts/values.ts';
import { excerpt } from '../posts/rendering/words.ts';

/** Returns the home page of a server that hasn't been set up yet. */
export function firstStartPage({ links }: Pick<Frame, 'links'>): Page {
  return {
    title: 'Porchlight',
    head: html`${links.map(({ rel, href }) => html`<link rel="${rel}" href="${href}" /> `)}`,
    body: html`<main class="center">
      <h1>Porchlight</h1>
      <p>This Porchlight server is running. Its owner has not set it up yet.</p>
      <p class="soft">Is this your server? Open Porchlight on your computer and enter your domain.</p>
    </main>`,
  };
}

/** Returns the page of one post with its responses. Asks search engines not to index unlisted posts. */
export function postPage(frame: Frame & EntryView, post: Post, responses: ResponsePage): Page {
  const title = titleOf(post, frame);
  const about = excerpt(propertyText(post.properties, 'summary') ?? frame.contentOf(post).text, 200);
  const picture = pictureOf(post.properties, frame);
  return framed(frame, {
    title: `${title} – ${frame.info.name}`,
    canonical: addressOf(post, frame),
    ...(about !== '' && { description: about }),
    preview: { title, type: 'article', picture },
    ...(post.visibility === 'unlisted' && { head: html`<meta name="robots" content="noindex">` }),
    main: entryMarkup(
      post,
      frame,
      'page',
      responsesMarkup(responses, builtInUrl(frame.base, post.path), frame.zone),
    ),
  });
}
