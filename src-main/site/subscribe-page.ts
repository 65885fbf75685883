import { postKindList, postKinds } from '../contract/post-kinds.ts';
import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import type { ListSize } from '../posts/post-store.ts';
import { feedOf, feedsOf, homeList, kindList, type SiteFeed } from '../posts/rendering/site-list.ts';
import { feedNames, type Frame, framed } from './frame.ts';

/** The path of the page that explains feeds, unless the owner has a page of their own there. */
export const subscribePath = '/subscribe';

/**
 * Returns the page that says what a feed is, with the addresses of the site's feeds. Browsers show a feed as source text,
 * so pages link here instead. `kinds`: the kinds of posts on the site.
 */
export function subscribePage(frame: Frame, kinds: readonly ListSize[]): Page {
  const { base, info } = frame;
  const used = postKindList.filter((kind) => kinds.some(({ name }) => name === kind));
  const row = (feed: SiteFeed, words: string): Html =>
    html`<li><span>${words}</span> <code class="copied">${base}${feed.path}</code></li> `;
  return framed(frame, {
    title: `Subscribe – ${info.name}`,
    canonical: base + subscribePath,
    description: `The feeds of ${info.name}, for feed readers.`,
    main: html`<article class="own">
      <h1>Subscribe</h1>
      <p>A feed tells you when <bdi>${info.name}</bdi> posts something new. You read feeds in a feed reader, an app or a website that collects the posts of all the sites that you follow. Copy one of the addresses below, and paste it into your reader. You need no account here, and you can unsubscribe in your reader at any time.</p>
      <h2>All posts</h2>
      <p>If you don’t know which one to use, take the first.</p>
      <ul class="feeds">${feedsOf(homeList).map((feed) => row(feed, feedNames[feed.format].words))}</ul>
      ${
        used.length > 1 &&
        html`<h2>Only one kind of post</h2>
      <ul class="feeds">${used.map((kind) => row(feedOf(kindList(kind), 'atom'), postKinds[kind].plural))}</ul>`
      }
    </article>`,
  });
}
