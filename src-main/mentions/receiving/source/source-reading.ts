import type { CitedPage } from '../../../posts/links.ts';
import { readPage, type WebPage, personName, type Rels } from '../../../untrusted/pages/web-page.ts';
import { cleanLine, cleanText } from '../../mention-limits.ts';
import type { MentionAuthor, SourceFacts } from '../../mention.ts';
import { cleanCited } from '../../clean-facts.ts';
import { entryFacts } from './entry-facts.ts';
import { jsonHolds, linkedAt, pageLinks, placeInText } from './exact-link.ts';
import { itemsOfJson, pageKindOf, pageText, parsedJson, type SourcePage, recordsOf } from './source-page.ts';
import {
  primaryEntry,
  addressesOf,
  asItem,
  asWebAddress,
  isSameAddress,
  type Item,
  itemText,
  itemValues,
  type Primary,
} from './item.ts';

export interface SourceQuestion {
  readonly page: SourcePage;
  /** The URLs of the source and the target as the sender gave them. */
  readonly source: string;
  readonly target: string;
}

export interface AuthorQuestion {
  readonly page: SourcePage;
  /** The author's URL, as the entry states it. */
  readonly address: string;
}

interface LinkingSource {
  readonly kind: 'links';
  readonly facts: SourceFacts;
  /**
   * The URL of the author's own page, which must still be read. If that page names no author, the author in `facts`
   * applies.
   */
  readonly authorPage?: string;
  readonly title?: string;
  /** The entry's content as plain text. If there is no content, the text around the link. */
  readonly text: string;
}

export type SourceReading =
  | LinkingSource
  | { readonly kind: 'no-link' }
  /** The error status in a meta element of the page, such as 404 or 410. */
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'wrong-type' };

const longestSnapshot = 2000;
const noRels = {};

/**
 * Reads a fetched source. Returns whether the source links to its target, and the facts about the mention (PROTOCOLS
 * 9).
 */
export function readSource(question: SourceQuestion): SourceReading {
  const { page, target } = question;
  const text = pageText(page.body, page.contentType);
  switch (pageKindOf(page)) {
    case 'html': {
      const found = pageLinks(text, page.url);
      if (found.status !== undefined && found.status >= 400) return { kind: 'status', status: found.status };
      const at = linkedAt(found, target);
      if (at === undefined) return { kind: 'no-link' };
      const content = readPage({ url: page.url, linkHeader: page.linkHeader, text });
      return linking(question, content, around(found.text, at));
    }
    case 'json': {
      const value = parsedJson(text);
      if (!jsonHolds(value, target)) return { kind: 'no-link' };
      return linking(question, { items: itemsOfJson(value, page.contentType), rels: noRels }, '');
    }
    case 'text': {
      const at = placeInText(text, target);
      return at === -1
        ? { kind: 'no-link' }
        : linking(question, { items: [], rels: noRels }, around(text, at));
    }
    case 'other':
      return { kind: 'wrong-type' };
  }
}

/** Returns the author as stated on the author's own page; undefined if that page names no author. */
export function readAuthor({ page, address }: AuthorQuestion): MentionAuthor | undefined {
  if (pageKindOf(page) !== 'html') return undefined;
  const text = pageText(page.body, page.contentType);
  const { items, rels } = readPage({ url: page.url, linkHeader: page.linkHeader, text });
  // After a redirect, the page may name either the original or the final URL as its own.
  return (
    authorOn({ url: page.url, items, rels }, address) ?? authorOn({ url: page.url, items, rels }, page.url)
  );
}

interface SourceContent extends Pick<WebPage, 'rels'> {
  readonly items: readonly unknown[];
  readonly title?: string | undefined;
}

function linking(
  { page, source, target }: SourceQuestion,
  content: SourceContent,
  passage: string,
): LinkingSource {
  const { items, rels } = content;
  const authored = { url: page.url, items, rels };
  const primary = primaryEntry(items, { source, url: page.url, target });
  const claim: AuthorClaim = primary
    ? entryAuthor(primary, authored)
    : ofPage(representativeAuthor(authored));
  const facts = entryFacts(primary?.entry, { source, url: page.url, target });
  const title = cleanLine(content.title ?? '', 500);
  return {
    kind: 'links',
    facts: { ...facts, ...(claim.author && { author: claim.author }) },
    ...(claim.page !== undefined && { authorPage: claim.page }),
    ...(title !== '' && { title }),
    text: cleanText(facts.content?.value ?? passage, longestSnapshot),
  };
}

function ofPage(author: MentionAuthor | undefined): AuthorClaim {
  return author ? { author } : {};
}

/** Returns the text around a link, with spaces and line breaks collapsed. */
function around(text: string, at: number): string {
  const start = at < longestSnapshot / 2 ? 0 : at - longestSnapshot / 2;
  const passage = text.slice(start, start + 2 * longestSnapshot);
  return passage.replace(/[^\S\n]+/g, ' ').replace(/\s*\n\s*/g, '\n');
}

/**
 * Returns a page's own name, author, text and date, for a citation. Returns undefined if the page has none of them, or
 * isn't HTML.
 */
export function readCited(page: SourcePage): CitedPage | undefined {
  if (pageKindOf(page) !== 'html') return undefined;
  const { url, linkHeader } = page;
  const { items, rels, title } = readPage({ url, linkHeader, text: pageText(page.body, page.contentType) });
  const place = { source: url, url, target: '' };
  const primary = primaryEntry(items, place);
  const authored = { url, items, rels };
  const author = primary ? entryAuthor(primary, authored).author : representativeAuthor(authored);
  const { name, content, published } = entryFacts(primary?.entry, place);
  return cleanCited({
    name: name ?? (content === undefined ? (title ?? '') : ''),
    ...(author && { author: { name: author.name, url: author.url } }),
    ...(content && { text: content.value }),
    ...(published !== undefined && { published }),
  });
}

/** The parts of a page that can state an author. */
interface AuthoredPage {
  readonly url: string;
  readonly items: readonly unknown[];
  readonly rels: Rels;
}

/** The author that a page states for its entry. `page`: the URL of the author's own page, which must still be read. */
interface AuthorClaim {
  readonly author?: MentionAuthor;
  readonly page?: string;
}

/**
 * Returns the author that a page states for its entry (indieweb.org/authorship-spec, steps 3 to 6). If the result has a
 * `page`, the caller has to read that page with authorOn. If that page names no author, `author` applies.
 */
function entryAuthor({ entry, feed }: Primary, page: AuthoredPage): AuthorClaim {
  const named = itemValues(entry, 'author')[0] ?? (feed && itemValues(feed, 'author')[0]);
  const card = asItem(named);
  if (card) return { author: authorFrom(card) };
  const text = itemText(named).trim();
  const address =
    text === ''
      ? page.rels['author']?.map(asWebAddress).find((value) => value !== undefined)
      : asWebAddress(text);
  if (address !== undefined) return fromPage(address, page);
  const isName = text !== '' && !/^(mailto|javascript|data|tel):/i.test(text);
  return isName ? { author: { name: cleanLine(text, 500), url: '', photo: '' } } : {};
}

function fromPage(address: string, page: AuthoredPage): AuthorClaim {
  const card = cardsOf(page.items).find((each) => isAt(each, 'url', address));
  const here = card ? authorFrom(card) : { name: '', url: address, photo: '' };
  if (!isSameAddress(address, page.url, true)) return { page: address, author: here };
  return { author: authorOn(page, address) ?? here };
}

/**
 * Returns the author as stated on the author's own page (authorship-spec, step 7). `address`: the URL that the entry
 * gives for its author.
 */
function authorOn(page: AuthoredPage, address: string): MentionAuthor | undefined {
  const cards = cardsOf(page.items);
  const me = page.rels['me'] ?? [];
  const card =
    cards.find((each) => isAt(each, 'url', address) && isAt(each, 'uid', address)) ??
    cards.find((each) => me.some((url) => isAt(each, 'url', url)));
  return card && authorFrom(card);
}

/** Returns the person that a page represents (microformats.org/wiki/representative-h-card-parsing). */
function representativeAuthor(page: AuthoredPage): MentionAuthor | undefined {
  const known = authorOn(page, page.url);
  if (known) return known;
  const [card, ...others] = cardsOf(page.items);
  return card && others.length === 0 && isAt(card, 'url', page.url) ? authorFrom(card) : undefined;
}

function authorFrom(card: Item): MentionAuthor {
  const first = (name: string): string =>
    itemValues(card, name)
      .map((value) => asWebAddress(value))
      .find((value) => value !== undefined) ?? '';
  return {
    name: cleanLine(
      personName((property) => itemText(itemValues(card, property)[0])),
      500,
    ),
    url: first('url'),
    photo: first('photo'),
  };
}

function cardsOf(items: readonly unknown[]): Item[] {
  return recordsOf(items).flatMap((record) => {
    const item = asItem(record);
    return item?.type.includes('h-card') === true ? [item] : [];
  });
}

function isAt(card: Item, property: string, address: string): boolean {
  return itemValues(card, property)
    .flatMap(addressesOf)
    .some((url) => isSameAddress(url, address));
}
