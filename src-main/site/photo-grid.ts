import type { Post } from '../contract/posts.ts';
import { html, type Html } from '../http/html.ts';
import { authorCard } from '../posts/rendering/author.ts';
import { openableMarkup } from '../posts/rendering/embedded.ts';
import { addressOf, type EntryView, titleOf } from '../posts/rendering/entry.ts';
import { namedMedia } from '../posts/rendering/media.ts';
import { dateMarkup } from '../posts/rendering/moment.ts';
import { excerpt } from '../posts/rendering/rich-text.ts';
import { publishedOf } from '../posts/visibility.ts';

/**
 * Returns the photo posts of a list as a grid: the first photo of each, linked to its post. The beginning of the text is
 * there for microformats parsers only.
 */
export function photoGrid(view: EntryView, posts: readonly Post[]): Html {
  return html`<div class="photos">${posts.map((post) => tile(post, view))}</div>`;
}

function tile(post: Post, view: EntryView): Html {
  const photos = namedMedia(post.properties, view.base).filter(({ property }) => property === 'photo');
  const [first] = photos;
  const published = publishedOf(post.properties, Date.parse(post.createdAt)).text;
  const title = titleOf(post, view);
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
