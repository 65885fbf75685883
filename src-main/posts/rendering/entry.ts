import { postKinds } from '../../contract/post-kinds.ts';
import type { Post, Properties } from '../../contract/posts.ts';
import { postUrl } from '../address.ts';
import { publishedOf } from '../visibility.ts';
import { html, type Html } from '../../http/html.ts';
import { authorCard, type SiteView } from './author.ts';
import { responseWords } from './citation.ts';
import type { Content } from './contents.ts';
import type { EmbeddedView, MediaLookup } from './embedded.ts';
import { factsMarkup } from './facts.ts';
import { hasTitle, postKindOf } from '../kind.ts';
import { crossPostTargets, serviceLink } from '../cross-posting.ts';
import { categoryPath } from '../links.ts';
import { mediaMarkup } from './media.ts';
import { dateMarkup } from './moment.ts';
import { otherPropertiesMarkup } from './other-properties.ts';
import { excerpt, richMarkup } from './rich-text.ts';
import { readForWords } from '../content-text.ts';
import { asLink, asNested, asText, oneLine, shownLink, propertyText, propertyValues } from '../values.ts';

/** Lists show only the beginning of a text or summary that is longer than this number of characters. */
const longestInList = 1500;
const mostMediaInList = 6;
const longestTitle = 1000;

/** The data for a page with posts. The parts that take a long time to produce are prepared in advance. */
export interface EntryView extends SiteView, Pick<EmbeddedView, 'pictures'> {
  readonly contentOf: (post: Post) => Content;
  readonly shown: MediaLookup;
  /** The uids of the owner's cross-posting targets; none if absent. */
  readonly targets?: readonly string[];
}

/**
 * Returns the HTML of a post as a microformats2 object. On its own page, the post is complete; in a list, a long post
 * is shortened. `responses`: the responses to the post; in a list, only their counts.
 */
export function entryMarkup(
  post: Post,
  view: EntryView,
  place: 'page' | 'list',
  responses: Html | null,
): Html {
  const { properties } = post;
  const published = publishedOf(properties, Date.parse(post.createdAt)).text;
  return html`<article class="${post.type.includes('h-event') ? 'h-event' : 'h-entry'}">
    ${heading(post, view, place)}
    ${bodyMarkup(post, view, place)}
    <footer class="meta">
      <p>${authorCard(view)}</p>
      <p><a class="u-url u-uid" href="${addressOf(post, view)}">${dateMarkup('dt-published', published, view.zone)}</a></p>
      ${post.editedAt === undefined ? null : html`<p>edited ${dateMarkup('dt-updated', post.editedAt, view.zone)}</p>`}
      ${categories(post, view)}
      ${syndication(properties, view.base)}
      ${place === 'page' && crossPostMarkup(post, view)}
      ${place === 'list' && responses}
    </footer>
    ${place === 'page' && responses}
  </article>
  `;
}

/** Returns the body of a post, without its title and footer. */
export function bodyMarkup(post: Post, view: EntryView, place: 'page' | 'list'): Html {
  const { properties } = post;
  return html`${view.contentOf(post).responses}
    ${factsMarkup(properties, view)}
    ${mediaMarkup(properties, view, place === 'list' ? mostMediaInList : undefined)}
    ${words(post, view, place)}
    ${otherPropertiesMarkup(properties, { ...view, place })}`;
}

/** Returns the invisible links to the services that cross-post a post. */
export function crossPostMarkup(post: Post, { targets = [] }: Pick<EntryView, 'targets'>): Html | null {
  const links = crossPostTargets(post, targets).map(serviceLink);
  return links.length === 0 ? null : html`${links}`;
}

/** Returns the URL of a post's own page. */
export function addressOf(post: Post, { base }: Pick<SiteView, 'base'>): string {
  return postUrl(base, post);
}

/** Returns a title for a post: its own name, the beginning of its text, a description of its response, or its kind. */
export function titleOf(post: Post, view: EntryView): string {
  const { properties } = post;
  const { words } = view.contentOf(post);
  const name = propertyText(properties, 'name');
  return (
    (name === undefined ? undefined : excerpt(oneLine(name.slice(0, readForWords)), longestTitle)) ??
    (words === '' ? undefined : excerpt(words, 80)) ??
    responseWords(properties, view.base) ??
    postKinds[postKindOf(post, words)].name
  );
}

function heading(post: Post, view: EntryView, place: 'page' | 'list'): Html {
  const name = propertyText(post.properties, 'name');
  if (name === undefined) return kindHeading(post, view, place);
  if (!hasTitle(post.properties, view.contentOf(post).words))
    return html`${kindHeading(post, view, place)}<data class="p-name" value="${name}"></data>`;
  return place === 'page'
    ? html`<h1 class="p-name title" dir="auto">${name}</h1>`
    : html`<h3 class="title" dir="auto"><a class="p-name" href="${addressOf(post, view)}">${titleOf(post, view)}</a></h3>`;
}

function kindHeading(post: Post, view: EntryView, place: 'page' | 'list'): Html {
  const words = postKinds[postKindOf(post, view.contentOf(post).words)].name;
  return place === 'page' ? html`<h1 class="kind">${words}</h1>` : html`<p class="kind">${words}</p>`;
}

function words(post: Post, view: EntryView, place: 'page' | 'list'): Html {
  const { properties } = post;
  const { rich, text } = view.contentOf(post);
  const summary = propertyText(properties, 'summary');
  if (place === 'list' && Math.max(text.length, summary?.length ?? 0) > longestInList)
    return beginning(post, view);
  const content = rich && richMarkup(rich, view);
  return html`${summary && html`<p class="p-summary soft" dir="auto">${summary}</p>`}
    ${content && html`<div class="e-content" dir="auto">${content}</div>`}`;
}

/** Returns the beginning of a post's text, with a link to the whole post. */
export function beginning(post: Post, view: EntryView): Html {
  const summary = propertyText(post.properties, 'summary');
  const shown =
    summary === undefined ? excerpt(view.contentOf(post).text, 400) : excerpt(summary, longestInList);
  return html`<p class="p-summary" dir="auto">${shown}</p>
      <p><a href="${addressOf(post, view)}">Read more<span class="hidden">: ${titleOf(post, view)}</span></a></p>`;
}

/** Returns the list of a post's categories: the post's `category` values, and the #tags in its text. */
function categories(post: Post, view: EntryView): Html | null {
  const { base } = view;
  const named = propertyValues(post.properties, 'category');
  const known = new Set(named);
  const tags = view.contentOf(post).categories.filter((name) => !known.has(name));
  const items = [...named, ...tags].flatMap((value) => {
    const item = category(value, base);
    return item === null ? [] : [html`<li>${item}</li> `];
  });
  return items.length === 0 ? null : html`<ul class="tags" aria-label="Categories">${items}</ul>`;
}

/**
 * Returns a category as a link to its page. If the category is a person (a card or a URL), links to the person's site
 * instead.
 */
function category(value: unknown, base: string): Html | null {
  const person = asNested(value);
  const name = person ? propertyText(person.properties, 'name') : asText(value);
  const url = person
    ? asLink(propertyText(person.properties, 'url'), base)
    : URL.canParse(name ?? '')
      ? asLink(name, base)
      : undefined;
  if (person && url !== undefined)
    return html`<a class="u-category h-card" href="${url}" dir="auto">${name ?? shownLink(url)}</a>`;
  if (url !== undefined) return html`<a class="u-category" href="${url}">${shownLink(url)}</a>`;
  return name === undefined
    ? null
    : html`<a class="p-category" rel="tag" href="${categoryPath(name)}" dir="auto">${name}</a>`;
}

function syndication(properties: Properties, base: string): Html | null {
  const links = propertyValues(properties, 'syndication').flatMap((value) => asLink(value, base) ?? []);
  if (links.length === 0) return null;
  return html`<p>Also on ${links.map(
    (url, index) =>
      html`${index > 0 && ', '}<a class="u-syndication" rel="syndication" href="${url}">${new URL(url).hostname}</a>`,
  )}</p>`;
}
