import { readPage, type WebPage } from '../../../untrusted/pages/web-page.ts';
import type { MentionAuthor, SourceFacts } from '../../mention.ts';
import { entryAuthor, authorOn, representativeAuthor, type AuthorClaim } from './authorship.ts';
import { entryFacts } from './entry-facts.ts';
import { jsonHolds, linkedAt, placeInText } from './exact-link.ts';
import { itemsOfJson } from './json-items.ts';
import { parsedJson } from './json-values.ts';
import { pageLinks } from './page-links.ts';
import { pageText } from './page-text.ts';
import { cleanLine, cleanText } from '../../plain-text.ts';
import { primaryEntry } from './primary-entry.ts';
import { pageKindOf, type SourcePage } from './source-page.ts';

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

export interface LinkingSource {
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
      const told = readPage({ url: page.url, linkHeader: page.linkHeader, text });
      return linking(question, told, around(found.text, at));
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

interface Told extends Pick<WebPage, 'rels'> {
  readonly items: readonly unknown[];
  readonly title?: string | undefined;
}

function linking({ page, source, target }: SourceQuestion, told: Told, passage: string): LinkingSource {
  const { items, rels } = told;
  const authored = { url: page.url, items, rels };
  const primary = primaryEntry(items, { source, url: page.url, target });
  const claim: AuthorClaim = primary
    ? entryAuthor(primary, authored)
    : ofPage(representativeAuthor(authored));
  const facts = entryFacts(primary?.entry, { source, url: page.url, target });
  const title = cleanLine(told.title ?? '', 500);
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
