import type { Post } from '../contract/posts.ts';
import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { hasTitle } from '../posts/kind.ts';
import { authorCard } from '../posts/rendering/author.ts';
import { addressOf, shownTitle, titleOf } from '../posts/rendering/entry.ts';
import { dateMarkup } from '../posts/rendering/moment.ts';
import { excerpt } from '../posts/rendering/rich-text.ts';
import { oneLine, propertyText } from '../posts/values.ts';
import { publishedOf } from '../posts/visibility.ts';
import { type Frame, framed } from './frame.ts';
import type { ListView, PostListing } from './list-page.ts';

const longestQuery = 200;
const mostTexts = 8;

const tooLong = `This search is too long. Use at most ${longestQuery} characters.`;
const tooMany = `Search for up to ${mostTexts} words at a time.`;

/** A visitor's search. `problem`: a message for the visitor; absent if the query is valid or empty. */
interface SearchQuery {
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

/** Returns the page with the search results. `isFirst`: whether it is the first page of them. */
export function searchResultsPage(
  frame: ListView,
  { query, texts }: SearchQuery,
  { items, older }: PostListing,
  isFirst: boolean,
): Page {
  const pattern = patternOf(texts);
  const more = older === undefined ? '' : 'More than ';
  const count = isFirst ? `${more}${items.length} ${items.length === 1 ? 'post' : 'posts'}` : 'Older posts';
  return framed(frame, {
    title: `${query} – Search – ${frame.info.name}`,
    path: '/search',
    head: noindex,
    main: html`<h1>Search</h1>
      ${searchForm(query)}
      ${
        items.length === 0
          ? html`<p>No posts contain “<bdi>${query}</bdi>”.</p>`
          : html`<section class="h-feed found">
                <h2 class="p-name">${count} with “<bdi>${query}</bdi>”</h2>
                ${items.map((post) => resultMarkup(post, frame, pattern))}
              </section>
              ${older === undefined ? null : html`<nav class="pages" aria-label="Pages"><span></span><span><a rel="next" href="${older}">More results</a></span></nav>`}`
      }`,
  });
}

/** Returns a form for searching the site's posts. */
export function searchForm(query: string): Html {
  return html`<form class="search" role="search" action="/search">
    <label class="hidden" for="q">Search posts</label>
    <input id="q" type="search" name="q" value="${query}" maxlength="${longestQuery}" placeholder="Search posts">
    <button>Search</button>
  </form>`;
}

const noindex = html`<meta name="robots" content="noindex">`;

/** Returns a pattern that finds any of the texts, whatever their case, and nothing else. */
const patternOf = (texts: readonly string[]): RegExp =>
  new RegExp(
    `(${texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)).join('|')})`,
    'giu',
  );

/** Returns a found post: its title if it has one, its date, and the part of its text that was searched for. */
function resultMarkup(post: Post, frame: ListView, pattern: RegExp): Html {
  const { properties } = post;
  const { text, words } = frame.contentOf(post);
  const address = addressOf(post, frame);
  const published = publishedOf(properties, Date.parse(post.createdAt)).text;
  const isTitled = hasTitle(properties, words);
  const texts = [text, oneLine(propertyText(properties, 'summary') ?? '')];
  const found = texts.find((one) => one.search(pattern) !== -1) ?? words;
  const shown = found === '' && !isTitled ? shownTitle(post, frame) : passage(found, pattern);
  return html`<article class="h-entry">
    ${isTitled && html`<h3 class="title" dir="auto"><a class="p-name" href="${address}">${marked(titleOf(post, frame), pattern)}</a></h3>`}
    <div class="meta"><p><a class="u-url" href="${address}">${dateMarkup('dt-published', published, frame.zone)}</a></p>${authorCard(frame)}</div>
    <p class="p-summary" dir="auto">${marked(shown, pattern)}</p>
  </article>
  `;
}

const longestPassage = 240;
/** How much of a text a result shows before the first word that was searched for, in characters. */
const lead = 80;

/** Returns the part of a text around the first place that `pattern` finds; its beginning if it finds none. */
function passage(text: string, pattern: RegExp): string {
  const at = text.search(pattern);
  if (at <= lead) return excerpt(text, longestPassage);
  const space = text.indexOf(' ', at - lead);
  const from = space !== -1 && space < at ? space + 1 : at;
  return `…${excerpt(text.slice(from), longestPassage)}`;
}

/** Returns a text in which everything that `pattern` finds is marked. */
const marked = (text: string, pattern: RegExp): Html =>
  html`${text.split(pattern).map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))}`;
