import { attributeIn, scanHtml } from '../../untrusted/pages/html-scan.ts';
import { feedAt } from '../../posts/rendering/site-list.ts';
import type { OwnAnswer } from './copy-store.ts';
import { isHtml } from './copyable.ts';

/** The addresses that exist even without posts. */
const fixedAddresses = [
  ...['/', '/archive', '/categories', '/feed.atom', '/feed.rss', '/feed.json'],
  ...['/sitemap.xml', '/robots.txt', '/favicon.ico', '/apple-touch-icon.png'],
  // With this metadata, an app can send a visitor to the sign-in page. There, the mailbox at Cloudflare says that the
  // server is asleep.
  '/.well-known/oauth-authorization-server',
];

/** Matches the paths of posts, lists, feeds, pictures and files. Only these and the fixed addresses are copied. */
const copiedPaths = [
  /^\/(?:posts|categories|kinds)\/./,
  /^\/media\/\d{4}\/\d\d\/[^/]+$/,
  /^\/(?:photo|webmention-pictures)\/[^/]+$/,
  /^\/sitemap-\d{1,6}\.xml$/,
];
const filePath = /^\/(?:media|photo|webmention-pictures)\//;
const postPath = /^\/posts\/\d{4}\/\d\d\/[^/?]+$/;
const addressAttributes = ['href', 'src', 'poster'];

/** The parts of the site's configuration that determine what can be copied. */
export interface CopiedSite {
  /** Returns the public origin, without a trailing slash. */
  readonly base: () => string;
  /** Returns the pages that the owner wrote, such as About. */
  readonly pages: () => readonly { readonly slug: string }[];
}

/** Returns the address of a path. An address is a path on this server, with or without a query, in URL encoding. */
export const addressOfPath = (path: string): string => new URL(path, 'http://localhost').pathname;

/** Returns the path of an address, without the query. */
export const pathOfAddress = (address: string): string => address.split('?', 1)[0] ?? '';

/**
 * Returns whether an address looks like the address of a post. The copy of a post stays even if no page links to it.
 */
export const isPostAddress = (address: string): boolean => postPath.test(address);

/** Returns whether an address is a picture or a file. */
export const isFileAddress = (address: string): boolean => filePath.test(address);

/** Returns the addresses of the pages that don't depend on posts. */
export const fixedIn = ({ pages }: Pick<CopiedSite, 'pages'>): string[] => [
  ...fixedAddresses,
  ...pages().map(({ slug }) => addressOfPath(`/${slug}`)),
];

/** The links of a page, including its pictures and files. */
export interface PageLinks {
  /** All URLs in the page. URLs on this server begin with a slash. */
  readonly named: readonly string[];
  /** The linked addresses on this server that can be copied. */
  readonly copied: readonly string[];
  /** The next and previous page of the same list. */
  readonly parts: readonly string[];
  /** The files on this server that a feed refers to. */
  readonly files: readonly string[];
}

export const noLinks: PageLinks = { named: [], copied: [], parts: [], files: [] };

/** Returns the links in this server's response at an address. */
export function linksOf(address: string, answer: OwnAnswer, site: CopiedSite): PageLinks {
  const text = () => Buffer.from(answer.body).toString('utf8');
  if (isHtml(answer)) return linksIn(text(), address, site);
  if (answer.status === 301) return linksOfRedirect(answer.headers['location'] ?? '', address, site);
  if (feedAt(address) !== undefined) return linksInFeed(text());
  return address === '/sitemap.xml' ? linksInSitemap(text()) : noLinks;
}

export function linksIn(markup: string, address: string, site: CopiedSite): PageLinks {
  const base = site.base();
  const { origin } = new URL(base);
  const fixed = new Set(fixedIn(site));
  const [named, copied, parts] = [new Set<string>(), new Set<string>(), new Set<string>()];

  function add(value: string, rel: string): void {
    if (!URL.canParse(value, base + address)) return;
    const url = new URL(value, base + address);
    if (url.origin !== origin) {
      named.add(url.href);
      return;
    }
    const { pathname, search } = url;
    const whole = pathname + search;
    named.add(whole);
    if (!fixed.has(pathname) && !copiedPaths.some((one) => one.test(pathname))) return;
    const isPart = isPartOf(whole, address) && /\b(?:next|prev)\b/.test(rel);
    if (isPart) parts.add(whole);
    // Links by other people can have any query, so an address with a query is copied only if this server generated the
    // link.
    if (isPart || search === '' || isIcon(whole)) copied.add(whole);
  }

  scanHtml(markup, {
    element(_name, attributes) {
      const rel = attributeIn(attributes, 'rel') ?? '';
      for (const { name, value } of attributes) {
        if (addressAttributes.includes(name)) add(value, rel);
        if (name === 'srcset')
          for (const part of value.split(',')) add(part.trim().split(/\s+/, 1)[0] ?? '', rel);
        if (name === 'content' && attributeIn(attributes, 'property') === 'og:image') add(value, rel);
      }
    },
  });
  return { ...noLinks, named: [...named], copied: [...copied], parts: [...parts] };
}

/** Returns the links from a large site's sitemap to its parts. */
function linksInSitemap(text: string): PageLinks {
  const copied = [...text.matchAll(/<loc>[^<]*(\/sitemap-\d{1,6}\.xml)<\/loc>/g)].map(
    ([, path = '']) => path,
  );
  return { ...noLinks, copied };
}

function linksOfRedirect(location: string, address: string, site: CopiedSite): PageLinks {
  const base = site.base();
  if (!URL.canParse(location, base + address)) return noLinks;
  const { origin, pathname, search } = new URL(location, base + address);
  const isCopied = origin === new URL(base).origin && search === '' && isPostAddress(pathname);
  return isCopied ? { ...noLinks, named: [pathname], copied: [pathname] } : noLinks;
}

/**
 * Returns the links in a feed that lead to files. The text needs no decoding, because no feed format escapes file
 * names.
 */
export function linksInFeed(text: string): PageLinks {
  return { ...noLinks, files: [...new Set(text.match(/\/media\/\d{4}\/\d\d\/[\w-]+\.\w+/g))] };
}

/**
 * Returns whether `whole` (a path with its query) is another page of the list at `address`, or of the responses at
 * `address`.
 */
const isPartOf = (whole: string, address: string): boolean =>
  pathOfAddress(whole) === pathOfAddress(address) && /^[^?]+(?:\?(?:after|responses)=[^&]+)?$/.test(whole);

const isIcon = (whole: string): boolean => /^\/(?:favicon\.ico|apple-touch-icon\.png)\?v=[^&]*$/.test(whole);
