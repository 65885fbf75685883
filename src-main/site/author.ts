import type { Profile } from '../contract/settings.ts';
import { html, type Html } from '../http/html.ts';
import { isOwn } from './rich-text.ts';
import { asLink } from './values.ts';

/** Who wrote what stands here: the owner, as their profile tells. */
export interface Author {
  readonly name: string;
  readonly url: string;
  /** Absent where there is none. */
  readonly photo?: string;
}

/** What all views know: where the site is, and whose it is. */
export interface SiteView {
  /** The origin, without a slash at its end. */
  readonly base: string;
  readonly author: Author;
}

/** The author of the site at `base`. */
export function authorOf({ me, name, url, photo }: Profile, base: string): Author {
  const address = asLink(url, base) ?? me ?? `${base}/`;
  const picture = asLink(photo, base);
  return {
    name: name === '' ? (me ?? 'Porchlight') : name,
    url: address,
    ...(picture !== undefined && { photo: picture }),
  };
}

/** The card that a post names its author with. */
export function authorCard({ author }: SiteView): Html {
  return html`<span class="p-author h-card"
    ><a class="p-name u-url" rel="author" href="${author.url}" dir="auto">${author.name}</a>${photoData(author)}</span
  >`;
}

/** The author's photo for programs: wherever it is, showing the page does not fetch it. */
function photoData({ photo }: Author): Html | null {
  return photo === undefined ? null : html`<data class="u-photo" value="${photo}"></data>`;
}

/** The author's photo as a picture where it is on this site, else for programs only, beside the light. */
export function portrait({ author, base }: SiteView): Html | null {
  const { photo } = author;
  return photo !== undefined && isOwn(photo, base)
    ? html`<img class="u-photo portrait" src="${photo}" alt="" width="72" height="72">`
    : html`<span class="light" aria-hidden="true"></span>${photoData(author)}`;
}
