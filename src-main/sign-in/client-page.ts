import type { FetchedPage } from '../untrusted/pages/fetched-page.ts';
import { readPage, valueText } from '../untrusted/pages/web-page.ts';
import { displayName, type ClientInformation } from './client-information.ts';
import { sameOrigin } from './redirect-uri.ts';
import { sameUrl } from '../platform/web-address.ts';

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
const longestAddress = 4096;

function matches(urls: unknown[] | undefined, clientId: string): boolean {
  return urls === undefined || urls.slice(0, mostAddresses).some((url) => sameUrl(valueText(url), clientId));
}

function isAddress(text: string): boolean {
  return text.length <= longestAddress && URL.canParse(text);
}
