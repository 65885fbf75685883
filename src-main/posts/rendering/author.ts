import type { Profile } from '../../contract/settings.ts';
import { html, type Html } from '../../http/html.ts';
import { isOwn } from './rich-text.ts';
import { asLink, shownLink } from '../values.ts';

/** The author of the site's posts: the owner, as described in their profile. */
export interface Author {
  readonly name: string;
  readonly url: string;
  /** The URL of the author's photo; absent if there is no photo. */
  readonly photo?: string;
}

/** The site's address and its author, which all views need. */
export interface SiteView {
  /** The site's origin, without a trailing slash. */
  readonly base: string;
  readonly author: Author;
  /** The owner's time zone (an IANA name), for times in UTC, and for the time on hover. */
  readonly zone?: string;
  /** The name of the site. Posts don't repeat it if it is the author's name. */
  readonly info?: { readonly name: string };
}

/** Returns the author of the site at `base`. */
export function siteAuthor({ me, name, url, photo }: Profile, base: string): Author {
  const address = asLink(url, base) ?? me ?? `${base}/`;
  const picture = asLink(photo, base);
  return {
    name: name !== '' ? name : me === null ? 'Porchlight' : shownLink(me),
    url: address,
    ...(picture !== undefined && { photo: picture }),
  };
}

/**
 * Returns the h-card with which a post names its author. People don't see it on a site that has the author's name,
 * because every page begins with that name.
 */
export function authorCard({ author, info }: SiteView): Html {
  return html`<span class="p-author h-card"${info?.name === author.name && html` hidden`}
    ><a class="p-name u-url" rel="author" href="${author.url}" dir="auto">${author.name}</a>${photoData(author)}</span
  >`;
}

/** Returns the author's photo as a data element, which microformats parsers read. Browsers don't fetch the photo. */
function photoData({ photo }: Author): Html | null {
  return photo === undefined ? null : html`<data class="u-photo" value="${photo}"></data>`;
}

/**
 * Returns the author's photo as an img element if it is on this site. Otherwise returns a placeholder (a lamp), and the
 * photo as a data element for microformats parsers.
 */
export function authorPhoto({ author, base }: SiteView): Html {
  const { photo } = author;
  return photo !== undefined && isOwn(photo, base)
    ? html`<img class="u-photo portrait" src="${photo}" alt="" width="96" height="96">`
    : html`<span class="light" aria-hidden="true"></span>${photoData(author)}`;
}
