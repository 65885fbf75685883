import type { Properties } from '../contract/posts.ts';
import { html, type Html } from '../http/html.ts';
import { contentMarkup } from './rich-text.ts';
import { citedUrl, responseProperties } from '../post/links.ts';
import { asLink, asNested, asText, shownLink, propertyText, propertyValues } from '../post/values.ts';

/**
 * Returns the pages that a post responds to, each as a link with the response's property and what is known about the
 * page.
 */
export function responseMarkup(properties: Properties, base: string): Html[] {
  return responseProperties.flatMap(([property, words]) =>
    propertyValues(properties, property).flatMap((value) => {
      const cited = citation(`u-${property}`, value, base);
      return cited === null ? [] : [html`<div class="context"><p class="soft">${words}</p> ${cited}</div> `];
    }),
  );
}

/**
 * Returns a short description of a post that responds to a page (`Liked example.com/post`); undefined for other posts.
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

/** Lists the URLs that a post responds to, by property: `in-reply-to`, `like-of` and so on. */
export function responseUrls(properties: Properties, base: string): Record<string, string[]> {
  const lists = responseProperties.map(([property]): [string, string[]] => [
    property,
    propertyValues(properties, property).flatMap((value) => citedUrl(value, base) ?? []),
  ]);
  return Object.fromEntries(lists.filter(([, urls]) => urls.length > 0));
}

/**
 * Returns the markup of a cited page: a link for a plain URL, an h-cite for an object with a URL, null without a URL.
 */
function citation(className: string, value: unknown, base: string): Html | null {
  const url = citedUrl(value, base);
  if (url === undefined) return null;
  const nested = asNested(value);
  if (!nested) return html`<p><a class="${className}" href="${url}">${shownLink(url)}</a></p>`;
  const { properties } = nested;
  const name = propertyText(properties, 'name');
  const author = authorOf(propertyValues(properties, 'author')[0], base);
  const content = contentMarkup(propertyValues(properties, 'content')[0], base);
  return html`<div class="${className} h-cite">
    <p><a class="u-url${name === undefined ? '' : ' p-name'}" href="${url}" dir="auto">${name ?? shownLink(url)}</a>${author}</p>
    ${content && html`<blockquote class="e-content" dir="auto">${content}</blockquote>`}
  </div>`;
}

function authorOf(value: unknown, base: string): Html | null {
  const card = asNested(value);
  const name = card ? propertyText(card.properties, 'name') : asText(value);
  if (name === undefined) return null;
  const url = card && asLink(propertyText(card.properties, 'url'), base);
  return url === undefined
    ? html` by <span class="p-author" dir="auto">${name}</span>`
    : html` by <a class="p-author h-card" href="${url}" dir="auto">${name}</a>`;
}
