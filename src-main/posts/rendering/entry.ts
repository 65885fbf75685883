import { postKinds } from '../../contract/post-kinds.ts';
import { type Post, type Properties, withShortAddresses } from '../../contract/posts.ts';
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
import { excerpt, richMarkup, type RichText } from './rich-text.ts';
import { readForWords } from '../content-text.ts';
import { asLink, asNested, asText, oneLine, shownLink, propertyText, propertyValues } from '../values.ts';

/** Lists show only the beginning of a text or summary that is longer than this number of characters. */
const longestInList = 1500;
/** The same for a post with a title, because readers can choose such a post by its title. */
const longestArticleInList = 600;
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
  const also = syndication(properties, view.base);
  return html`<article class="${post.type.includes('h-event') ? 'h-event' : 'h-entry'}">
    ${heading(post, view, place)}
    <div class="meta">
      <p><a class="u-url u-uid" href="${addressOf(post, view)}">${dateMarkup('dt-published', published, view.zone)}</a></p>
      ${authorCard(view)}
      ${post.editedAt === undefined ? null : html`<p>edited ${dateMarkup('dt-updated', post.editedAt, view.zone)}</p>`}
      ${categories(post, view)}
    </div>
    ${bodyMarkup(post, view, place, place === 'page' ? 2 : 4)}
    ${place === 'page' && crossPostMarkup(post, view)}
    ${(also ?? (place === 'list' && responses)) && html`<footer class="meta">${also}${place === 'list' && responses}</footer>`}
    ${place === 'page' && responses}
  </article>
  `;
}

/**
 * Returns the body of a post, without its title, date and footer. `level`: the level of the highest heading on a page
 * with other headings; if absent, the headings stay as the post has them.
 */
export function bodyMarkup(post: Post, view: EntryView, place: 'page' | 'list', level?: number): Html {
  const { properties } = post;
  return html`${view.contentOf(post).responses}
    ${factsMarkup(properties, view)}
    ${mediaMarkup(properties, view, place === 'list' ? mostMediaInList : undefined)}
    ${words(post, view, place, level)}
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
export function titleOf(post: Post, view: Pick<EntryView, 'base' | 'contentOf'>): string {
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

/** Returns the title for readers: like titleOf, but without the whole web addresses in the text of an untitled post. */
export function shownTitle(post: Post, view: Pick<EntryView, 'base' | 'contentOf'>): string {
  const title = titleOf(post, view);
  return hasTitle(post.properties, view.contentOf(post).words) ? title : withShortAddresses(title);
}

function heading(post: Post, view: EntryView, place: 'page' | 'list'): Html | null {
  const name = propertyText(post.properties, 'name');
  if (name === undefined) return kindHeading(post, view, place);
  if (!hasTitle(post.properties, view.contentOf(post).words))
    return html`${kindHeading(post, view, place)}<data class="p-name" value="${name}"></data>`;
  return place === 'page'
    ? html`<h1 class="p-name title" dir="auto">${name}</h1>`
    : html`<h3 class="title" dir="auto"><a class="p-name" href="${addressOf(post, view)}">${titleOf(post, view)}</a></h3>`;
}

/** Returns the heading of a page whose post has no title. It is for screen readers: others see what kind of post it is. */
function kindHeading(post: Post, view: EntryView, place: 'page' | 'list'): Html | null {
  if (place === 'list') return null;
  return html`<h1 class="hidden">${postKinds[postKindOf(post, view.contentOf(post).words)].name}</h1>`;
}

function words(post: Post, view: EntryView, place: 'page' | 'list', level: number | undefined): Html {
  const { properties } = post;
  const { rich, text, words: all } = view.contentOf(post);
  const summary = propertyText(properties, 'summary');
  const longest = hasTitle(properties, all) ? longestArticleInList : longestInList;
  if (place === 'list' && Math.max(text.length, summary?.length ?? 0) > longest) return beginning(post, view);
  const content = rich && richMarkup(level === undefined ? rich : orderedHeadings(rich, level), view);
  return html`${summary && html`<p class="p-summary soft" dir="auto">${summary}</p>`}
    ${content && html`<div class="e-content${isOnlyEmoji(text) && ' emoji'}" dir="auto">${content}</div>`}`;
}

/** Returns whether a text is a few emoji and nothing else, which pages show larger. */
const isOnlyEmoji = (text: string): boolean =>
  text.length <= 40 &&
  /^(?:(?:\p{Extended_Pictographic}|\p{Regional_Indicator})[\p{Emoji_Modifier}\u200d\ufe0f\s]*)+$/u.test(
    text,
  );

/** Returns the summary of a post or the beginning of its text, with a link to the whole post. */
export function beginning(post: Post, view: EntryView): Html {
  const summary = propertyText(post.properties, 'summary');
  const shown =
    summary === undefined ? excerpt(view.contentOf(post).text, 400) : excerpt(summary, longestInList);
  return html`<p class="p-summary" dir="auto">${shown}</p>
      <p><a href="${addressOf(post, view)}">Continue<span class="hidden">: ${shownTitle(post, view)}</span></a></p>`;
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

/** HTML has six levels of headings. */
const lowest = 6;

/**
 * Returns content whose headings are in order: the first has the level `top`, and none is more than one level below the
 * heading before it. Screen readers use the levels as a table of contents. `content`: sanitized, so a tag is all that
 * begins with `<h2`.
 */
export function orderedHeadings(content: RichText, top: number): RichText {
  /** The levels that the content uses for the current heading and for those above it. */
  let above: number[] = [];
  const open: number[] = [];
  const level = (own: number) => {
    above = [...above.filter((one) => one < own), own];
    return Math.min(lowest, top + above.length - 1);
  };
  const tag = (_tag: string, slash: string, own: string) => {
    if (slash !== '') return `</h${open.pop() ?? top}`;
    const made = level(Number(own));
    open.push(made);
    return `<h${made}`;
  };
  return content.map((part) =>
    typeof part === 'string' ? part.replace(/<(\/?)h([1-6])(?=[\s>])/g, tag) : part,
  );
}
