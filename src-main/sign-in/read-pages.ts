import type { Profile } from '../contract/settings.ts';
import { sameUrl } from '../platform/web-address.ts';
import type { FetchedPage } from '../untrusted/pages/fetched-page.ts';
import { type MicroformatsItem, personName, readPage, valueText } from '../untrusted/pages/web-page.ts';
import { type ClientInformation, displayName, sameOrigin } from './client-information.ts';

/**
 * Returns the information in a client's HTML page. The name and the logo come from the page's h-app, or else from its
 * title and icon. The redirect URIs come from the h-app and from rel=redirect_uri links.
 */
export function clientFromHtml(clientId: string, page: FetchedPage): ClientInformation {
  const { items, linkRels: rels, title } = readPage(page);
  const app = items.find(
    (item) =>
      item.type?.some((type) => type === 'h-app' || type === 'h-x-app') === true &&
      matches(item.properties['url'], clientId),
  );
  const uris = [...(rels['redirect_uri'] ?? []), ...(app?.properties['redirect-uri'] ?? []).map(valueText)];
  const logo =
    (app ? valueText((app.properties['logo'] ?? app.properties['photo'])?.[0]) : '') ||
    (rels['icon']?.[0] ?? '');
  return {
    id: clientId,
    name:
      displayName(app ? valueText(app.properties['name']?.[0]) : undefined) ??
      displayName(title) ??
      new URL(clientId).host,
    logoUri: isAddress(logo) ? logo : null,
    // If the client redirected to another origin, that origin must not decide where responses to this app are sent.
    redirects: {
      uris: sameOrigin(page.url, clientId) ? uris.filter(isAddress).slice(0, mostAddresses) : [],
      exclusive: false,
    },
    warnings: [],
  };
}

/**
 * The maximum number of URLs of one kind to read from a client's page. No page needs more, and this many can be
 * compared quickly.
 */
const mostAddresses = 100;
const longestClientUrl = 4096;

function matches(urls: unknown[] | undefined, clientId: string): boolean {
  return urls === undefined || urls.slice(0, mostAddresses).some((url) => sameUrl(valueText(url), clientId));
}

function isAddress(text: string): boolean {
  return text.length <= longestClientUrl && URL.canParse(text);
}

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
