import { personName, type Rels } from '../../../untrusted/pages/web-page.ts';
import type { MentionAuthor } from '../../mention.ts';
import {
  addressesOf,
  asItem,
  asWebAddress,
  isSameAddress,
  type Item,
  itemText,
  itemValues,
  type Primary,
} from './item.ts';
import { recordsOf } from './source-page.ts';
import { cleanLine } from '../../mention-limits.ts';

/** The parts of a page that can state an author. */
export interface AuthoredPage {
  readonly url: string;
  readonly items: readonly unknown[];
  readonly rels: Rels;
}

/** The author that a page states for its entry. `page`: the URL of the author's own page, which must still be read. */
export interface AuthorClaim {
  readonly author?: MentionAuthor;
  readonly page?: string;
}

/**
 * Returns the author that a page states for its entry (indieweb.org/authorship-spec, steps 3 to 6). If the result has a
 * `page`, the caller has to read that page with authorOn. If that page names no author, `author` applies.
 */
export function entryAuthor({ entry, feed }: Primary, page: AuthoredPage): AuthorClaim {
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
export function authorOn(page: AuthoredPage, address: string): MentionAuthor | undefined {
  const cards = cardsOf(page.items);
  const me = page.rels['me'] ?? [];
  const card =
    cards.find((each) => isAt(each, 'url', address) && isAt(each, 'uid', address)) ??
    cards.find((each) => me.some((url) => isAt(each, 'url', url)));
  return card && authorFrom(card);
}

/** Returns the person that a page represents (microformats.org/wiki/representative-h-card-parsing). */
export function representativeAuthor(page: AuthoredPage): MentionAuthor | undefined {
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
