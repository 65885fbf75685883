import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { framed, type Frame } from './frame.ts';
import { entries, type ListView, type PostListing } from './list-page.ts';

const longestQuery = 200;
const mostTexts = 8;

const tooLong = `This search is too long. Use at most ${longestQuery} characters.`;
const tooMany = `Search for up to ${mostTexts} words at a time.`;

/** A visitor's search. `problem`: a message for the visitor; absent if the query is valid or empty. */
export interface SearchQuery {
  /** The query to show in the form, cut if it is too long. */
  readonly query: string;
  readonly texts: readonly string[];
  readonly problem?: string;
}

/**
 * Returns the search terms in a query: single words, and phrases in quotation marks. Supports no operators except
 * quotation marks. A repeated query parameter counts as absent.
 */
export function searchQuery(value: unknown): SearchQuery {
  const text = typeof value === 'string' ? value.replace(/\p{Cc}/gu, ' ').trim() : '';
  const query = text.slice(0, longestQuery);
  if (text.length > longestQuery) return { query, texts: [], problem: tooLong };
  const found = [...text.matchAll(/"([^"]*)"|[^\s"]+/g)].map(([word, quoted]) => (quoted ?? word).trim());
  const texts = [...new Set(found.filter((one) => one !== ''))];
  if (texts.length > mostTexts) return { query, texts: [], problem: tooMany };
  return { query, texts };
}

/** Returns a page that has only the search form, and a message if there is a problem with the query. */
export function searchFormPage(frame: Frame, { query, problem }: SearchQuery): Page {
  return framed(frame, {
    title: `Search – ${frame.info.name}`,
    path: '/search',
    head: noindex,
    main: html`<h1>Search</h1>
      ${searchForm(query)}
      ${problem === undefined ? null : html`<p role="alert">${problem}</p>`}`,
  });
}

/** Returns the page with the search results. */
export function searchResultsPage(
  frame: ListView,
  { query }: SearchQuery,
  { items, older }: PostListing,
): Page {
  return framed(frame, {
    title: `${query} – Search – ${frame.info.name}`,
    path: '/search',
    head: noindex,
    main: html`<h1>Search</h1>
      ${searchForm(query)}
      ${
        items.length === 0
          ? html`<p>No posts contain “<bdi>${query}</bdi>”.</p>`
          : html`<section class="h-feed">
                <h2 class="p-name">Posts that contain “<bdi>${query}</bdi>”</h2>
                ${entries(frame, items)}
              </section>
              ${older === undefined ? null : html`<nav class="pages" aria-label="Pages"><span></span><span><a rel="next" href="${older}">More results</a></span></nav>`}`
      }`,
  });
}

export function searchForm(query: string): Html {
  return html`<form class="search" role="search" action="/search">
    <label class="hidden" for="q">Search posts</label>
    <input id="q" type="search" name="q" value="${query}" maxlength="${longestQuery}" placeholder="Search posts">
    <button>Search</button>
  </form>`;
}

const noindex = html`<meta name="robots" content="noindex">`;
