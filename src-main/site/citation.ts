import type { Properties } from '../contract/posts.ts';
import { html, type Html } from '../http/html.ts';
import { momentMarkup } from './moment.ts';
import { contentMarkup } from './rich-text.ts';
import { excerpt } from './words.ts';
import type { CitedPage } from '../post/cited-page.ts';
import { oneLine } from '../post/content-text.ts';
import { citedUrl, responseProperties } from '../post/links.ts';
import { asLink, asNested, asText, shownLink, propertyText, propertyValues } from '../post/values.ts';

/** Returns the title, author and text that Porchlight stored for a cited page; undefined if there are none. */
export type CitedLookup = (url: string) => CitedPage | undefined;

/**
 * Returns links to the pages that a post responds to. Each link has the microformats property of the response, and a
 * description of the page. The description comes from the post itself or, if the post has none, from `cited`.
 */
export function responseMarkup(
  properties: Properties,
  base: string,
  cited: CitedLookup = () => undefined,
): Html[] {
  return responseProperties.flatMap(([property, words]) =>
    propertyValues(properties, property).flatMap((value) => {
      const shown = citation(`u-${property}`, value, base, cited);
      return shown === null ? [] : [html`<div class="context"><p class="soft">${words}</p> ${shown}</div> `];
    }),
  );
}

/**
 * Returns a short description of a response to a page (`Liked example.com/post`); undefined if the post isn't a
 * response.
 */
export function responseWords(properties: Properties, base: string): string | undefined {
  for (const [property, words] of responseProperties) {
    for (const value of propertyValues(properties, property)) {
      const url = citedUrl(value, base);
      if (url !== undefined) return `${words} ${shownLink(url)}`;
    }
  }
  return undefined;
}

/**
 * The maximum number of cited pages to describe, which is more than a real post cites. Any further pages stay plain
 * links.
 */
const mostCited = 20;

/** Returns the URLs of the cited pages that have no description in the post itself; at most `mostCited` URLs. */
export function plainCitations(properties: Properties, base: string): string[] {
  const values = responseProperties.flatMap(([property]) => propertyValues(properties, property));
  const plain = values.filter((value) => asNested(value) === undefined);
  return [...new Set(plain.flatMap((value) => citedUrl(value, base) ?? []))].slice(0, mostCited);
}

/** Lists the URLs that a post responds to, by property: `in-reply-to`, `like-of` and so on. */
export function responseUrls(properties: Properties, base: string): Record<string, string[]> {
  const lists = responseProperties.map(([property]): [string, string[]] => [
    property,
    propertyValues(properties, property).flatMap((value) => citedUrl(value, base) ?? []),
  ]);
  return Object.fromEntries(lists.filter(([, urls]) => urls.length > 0));
}

/**
 * Returns the markup of a cited page: an h-cite if the post or `cited` describes the page, otherwise a link. Returns
 * null if there is no URL.
 */
function citation(className: string, value: unknown, base: string, cited: CitedLookup): Html | null {
  const url = citedUrl(value, base);
  if (url === undefined) return null;
  const nested = asNested(value);
  if (!nested) return plainCitation(className, url, cited(url));
  const { properties } = nested;
  const name = propertyText(properties, 'name');
  const author = authorOf(propertyValues(properties, 'author')[0], base);
  const content = contentMarkup(propertyValues(properties, 'content')[0], base);
  return html`<div class="${className} h-cite">
    <p><a class="u-url${name === undefined ? '' : ' p-name'}" href="${url}" dir="auto">${name ?? shownLink(url)}</a>${author}</p>
    ${content && html`<blockquote class="e-content" dir="auto">${content}</blockquote>`}
  </div>`;
}

function plainCitation(className: string, url: string, page: CitedPage | undefined): Html {
  if (!page) return html`<p><a class="${className}" href="${url}">${shownLink(url)}</a></p>`;
  const { name, author, text, published } = page;
  return html`<div class="${className} h-cite">
    <p><a class="u-url${name === undefined ? '' : ' p-name'}" href="${url}" dir="auto">${name ?? shownLink(url)}</a>${author && authorMarkup(author.name, asLink(author.url, url))}${published !== undefined && html`, ${momentMarkup('dt-published', published)}`}</p>
    ${text !== undefined && html`<blockquote class="p-content" dir="auto">${excerpt(oneLine(text), 300)}</blockquote>`}
  </div>`;
}

function authorOf(value: unknown, base: string): Html | null {
  const card = asNested(value);
  const name = card ? propertyText(card.properties, 'name') : asText(value);
  if (name === undefined) return null;
  const url = card && asLink(propertyText(card.properties, 'url'), base);
  return authorMarkup(name, url);
}

function authorMarkup(name: string, url: string | undefined): Html {
  return url === undefined
    ? html` by <span class="p-author" dir="auto">${name}</span>`
    : html` by <a class="p-author h-card" href="${url}" dir="auto">${name}</a>`;
}
