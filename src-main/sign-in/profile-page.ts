import type { Profile } from '../contract/settings.ts';
import type { FetchedPage } from '../untrusted/pages/fetched-page.ts';
import { personName, readPage, valueText, type MicroformatsItem } from '../untrusted/pages/web-page.ts';
import { sameUrl } from '../platform/web-address.ts';

/**
 * Returns the profile in a page's representative h-card (microformats.org/wiki/representative-h-card-parsing). If there
 * is none, uses the page's only h-card, or else the first h-card whose url is the page's URL. Returns null if no h-card
 * qualifies.
 */
export function profileFromPage(page: FetchedPage): Omit<Profile, 'me'> | null {
  const { items, rels } = readPage(page);
  const cards = allItems(items).filter((item) => item.type?.includes('h-card') === true);
  const relMe = rels['me'] ?? [];
  const card =
    cards.find((one) => has(one, 'uid', page.url) && has(one, 'url', page.url)) ??
    cards.find((one) => textsOf(one, 'url').some((url) => relMe.some((me) => sameUrl(me, url)))) ??
    (cards.length === 1 ? cards[0] : cards.find((one) => has(one, 'url', page.url)));
  if (!card) return null;
  const webAddress = (text: string | undefined) =>
    text !== undefined && /^https?:/i.test(text) && URL.canParse(text) ? text : '';
  return {
    name: personName((property) => textsOf(card, property)[0] ?? '').slice(0, 500),
    url: webAddress(textsOf(card, 'url')[0]).slice(0, 2048),
    photo: webAddress(textsOf(card, 'photo')[0]).slice(0, 2048),
    email: (textsOf(card, 'email')[0] ?? '')
      .replace(/^mailto:/i, '')
      .trim()
      .slice(0, 320),
  };
}

function allItems(items: readonly MicroformatsItem[]): MicroformatsItem[] {
  return items.flatMap((item) => {
    const nested = Object.values(item.properties).flat().filter(isItem);
    return [item, ...allItems([...nested, ...(item.children ?? [])])];
  });
}

function isItem(value: MicroformatsItem['properties'][string][number]): value is MicroformatsItem {
  return typeof value === 'object' && 'properties' in value;
}

function textsOf(item: MicroformatsItem, property: string): string[] {
  return (item.properties[property] ?? []).map(valueText).filter((text) => text !== '');
}

function has(item: MicroformatsItem, property: string, url: string): boolean {
  return textsOf(item, property).some((text) => sameUrl(text, url));
}
