import { responseProperties } from '../../contract/post-kinds.ts';
import type { Properties } from '../../contract/posts.ts';
import { html, type Html } from '../../http/html.ts';
import { dateMarkup } from './moment.ts';
import { contentMarkup, excerpt } from './rich-text.ts';
import { citedName, type CitedPage, citedUrl } from '../links.ts';
import { asLink, asNested, asText, oneLine, propertyText, propertyValues, shownLink } from '../values.ts';

/** Returns the title, author and text that Porchlight stored for a cited page; undefined if there are none. */
export type CitedLookup = (url: string) => CitedPage | undefined;

const readingWords: Readonly<Record<string, string>> = {
  'to-read': 'Wants to read',
  reading: 'Reading',
  finished: 'Finished reading',
};

/**
 * Returns what a post responds to, with the microformats property of each response. A page is a link with a description,
 * which comes from the post itself or, if the post has none, from `cited`. Anything that has no web address is text.
 */
export function responseMarkup(
  properties: Properties,
  base: string,
  cited: CitedLookup = () => undefined,
): Html[] {
  return responseProperties.flatMap(({ name: property, words }) =>
    propertyValues(properties, property).flatMap((value) => {
      const shown = citation(property, value, base, cited);
      const above = property === 'read-of' ? readingMarkup(properties, words) : words;
      return shown === null ? [] : [html`<div class="context"><p class="soft">${above}</p> ${shown}</div> `];
    }),
  );
}

/** Returns how far the owner has read (microformats.org/wiki/h-entry, `read-status`); otherwise, `words`. */
function readingMarkup(properties: Properties, words: string): Html | string {
  const status = propertyText(properties, 'read-status')?.trim();
  if (status === undefined) return words;
  const shown = Object.hasOwn(readingWords, status) ? readingWords[status] : `${words} (${status})`;
  return html`<data class="p-read-status" value="${status}">${shown}</data>`;
}

/**
 * Returns a short description of a response to a page (`Liked example.com/post`); undefined if the post isn't a
 * response.
 */
export function responseWords(properties: Properties, base: string): string | undefined {
  for (const { name: property, words } of responseProperties) {
    for (const value of propertyValues(properties, property)) {
      const url = citedUrl(value, base);
      const name = url === undefined ? citedName(value) : shownLink(url);
      if (name !== undefined) return `${words} ${name}`;
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
  const values = responseProperties.flatMap(({ name }) => propertyValues(properties, name));
  const plain = values.filter((value) => asNested(value) === undefined);
  return [...new Set(plain.flatMap((value) => citedUrl(value, base) ?? []))].slice(0, mostCited);
}

/** Lists what a post responds to, by property (`in-reply-to`, `like-of` and so on): URLs, or names without a URL. */
export function responseValues(properties: Properties, base: string): Record<string, string[]> {
  const lists = responseProperties.map(({ name: property }): [string, string[]] => [
    property,
    propertyValues(properties, property).flatMap((value) => {
      const name = citedName(value) ?? '';
      // A theme makes links of these values, so none of them may be a script.
      return citedUrl(value, base) ?? (name === '' || URL.canParse(name) ? [] : name);
    }),
  ]);
  return Object.fromEntries(lists.filter(([, values]) => values.length > 0));
}

/**
 * Returns the markup of what a post responds to: an h-cite if the post or `cited` describes it, otherwise a link or,
 * without a web address, its name. Returns null if there is neither.
 */
function citation(property: string, value: unknown, base: string, cited: CitedLookup): Html | null {
  const url = citedUrl(value, base);
  const name = citedName(value);
  const nested = asNested(value);
  if (!nested && url !== undefined) return plainCitation(`u-${property}`, url, cited(url));
  if (!nested || (url === undefined && name === undefined))
    return name === undefined ? null : html`<p><span class="p-${property}" dir="auto">${name}</span></p>`;
  const { properties } = nested;
  const author = authorOf(propertyValues(properties, 'author')[0], base);
  const content = contentMarkup(propertyValues(properties, 'content')[0], base);
  const uid = url === undefined ? propertyText(properties, 'uid') : undefined;
  const title =
    url === undefined
      ? html`<span class="p-name" dir="auto">${name}</span>`
      : html`<a class="u-url${name === undefined ? '' : ' p-name'}" href="${url}" dir="auto">${name ?? shownLink(url)}</a>`;
  return html`<div class="${url === undefined ? 'p' : 'u'}-${property} h-cite">
    <p>${title}${author}${uid !== undefined && html`<data class="p-uid" value="${uid}"></data>`}</p>
    ${content && html`<blockquote class="e-content" dir="auto">${content}</blockquote>`}
  </div>`;
}

function plainCitation(className: string, url: string, page: CitedPage | undefined): Html {
  if (!page) return html`<p><a class="${className}" href="${url}">${shownLink(url)}</a></p>`;
  const { name, author, text, published } = page;
  return html`<div class="${className} h-cite">
    <p><a class="u-url${name === undefined ? '' : ' p-name'}" href="${url}" dir="auto">${name ?? shownLink(url)}</a>${author && authorMarkup(author.name, asLink(author.url, url))}${published !== undefined && html`, ${dateMarkup('dt-published', published)}`}</p>
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
