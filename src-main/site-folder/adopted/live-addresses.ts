import { fits, nameIn, pathBelow, segmentCount } from '../adopted-address.ts';
import type { AddressClaim, AdoptionSite } from '../adopted-address.ts';
import { FetchError, type GuardedFetch } from '../../platform/guarded-fetch.ts';

/** Where generators and their plugins write a sitemap, and feeds for sites that have none. */
const sitemaps = ['sitemap.xml', 'sitemap-index.xml', 'sitemap_index.xml'];
const feeds = ['index.xml', 'feed.xml', 'atom.xml', 'rss.xml', 'feed/feed.xml'];
const fetchLimits = { maxBytes: 10_000_000, timeoutMs: 20_000 };
const mostParts = 50;
const mostAddresses = 100_000;
const longestPageAddress = 2000;

/** The addresses of the pages that are online. */
export class LiveAddresses {
  readonly #all = new Set<string>();
  readonly #byName = new Map<string, string[]>();

  /** Creates the set. Leaves out addresses that aren't below `baseUrl`. */
  constructor(addresses: Iterable<string>, baseUrl: string) {
    for (const address of addresses) {
      if (this.#all.size >= mostAddresses) return;
      if (address.length > longestPageAddress || !URL.canParse(address, baseUrl)) continue;
      const url = new URL(address, baseUrl);
      url.hash = '';
      const name = nameIn(pathBelow(baseUrl, url.href) ?? '');
      if (name === '' || this.#all.has(url.href)) continue;
      this.#all.add(url.href);
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), url.href]);
    }
  }

  has(url: string): boolean {
    return this.#all.has(url);
  }

  /** Returns the one address that fits a file best; undefined if none fits, or several fit equally well. */
  of(claim: AddressClaim, site: AdoptionSite): string | undefined {
    for (const name of claim.names) {
      const fitting = (this.#byName.get(name) ?? []).filter((url) => fits(claim, url, site));
      if (fitting.length === 0) continue;
      const most = Math.max(...fitting.map(segmentCount));
      const [best, ...others] = fitting.filter((url) => segmentCount(url) === most);
      return others.length === 0 ? best : undefined;
    }
    return undefined;
  }
}

/**
 * Reads the addresses of a site's pages from its sitemap or, if it has none, from its first feed. Returns undefined if
 * the site doesn't answer, or has neither.
 */
export async function readLiveAddresses(
  fetch: GuardedFetch,
  baseUrl: string,
  signal: AbortSignal,
): Promise<LiveAddresses | undefined> {
  const base = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
  if (!URL.canParse(base)) return undefined;
  const textAt = (url: string) => textFrom(fetch, new URL(url, base).href, signal);
  for (const name of sitemaps) {
    const text = await textAt(name);
    if (text === undefined || !/<(?:urlset|sitemapindex)\b/.test(text)) continue;
    const found = locations(text);
    if (text.includes('<urlset')) return new LiveAddresses(found, base);
    const parts = found.filter((url) => URL.canParse(url) && new URL(url).origin === new URL(base).origin);
    const all: string[] = [];
    for (const part of parts.slice(0, mostParts)) all.push(...locations((await textAt(part)) ?? ''));
    return new LiveAddresses(all, base);
  }
  for (const name of feeds) {
    const text = await textAt(name);
    if (text !== undefined && /<(?:rss|feed)\b/.test(text)) return new LiveAddresses(links(text), base);
  }
  return undefined;
}

async function textFrom(fetch: GuardedFetch, url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(url, { ...fetchLimits, signal });
    return response.status === 200 ? response.text() : undefined;
  } catch (error) {
    if (error instanceof FetchError) return undefined;
    throw error;
  }
}

const unescaped = (text: string) => text.replaceAll('&amp;', '&');
const locations = (xml: string) =>
  Array.from(xml.matchAll(/<loc>([^<]{1,2100})<\/loc>/g), ([, url = '']) => unescaped(url.trim()));
/** Returns the addresses in RSS (`<link>…</link>`) and Atom (`<link href="…">`). */
const links = (xml: string) =>
  Array.from(
    xml.matchAll(/<link>([^<]{1,2100})<\/link>|<link\b[^<>]{0,200}\bhref=["']([^"'<>]{1,2100})["']/g),
    ([, text, href = '']) => unescaped((text ?? href).trim()),
  );
