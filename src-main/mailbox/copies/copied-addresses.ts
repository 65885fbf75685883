import { createHash } from 'node:crypto';
import type { SelfAnswer } from '../../http/ask-self.ts';
import { bridgedPaths, type Copy, mostCopyBytes } from '../../platform/mailbox-protocol.ts';
import { attributeIn, scanHtml } from '../../untrusted/pages/html-scan.ts';

/** The addresses that exist even without posts. */
const fixedAddresses = [
  '/',
  '/archive',
  '/categories',
  '/subscribe',
  '/feed.atom',
  '/feed.rss',
  '/feed.json',
  '/sitemap.xml',
  '/robots.txt',
  '/favicon.ico',
  '/apple-touch-icon.png',
  // With this metadata, an app can send a visitor to the sign-in page. There, the mailbox at Cloudflare says that the
  // server is asleep.
  '/.well-known/oauth-authorization-server',
  ...bridgedPaths,
];

const sitemapPart = /^\/sitemap-\d{1,6}\.xml$/;
/** Matches the paths of posts, lists, feeds, pictures and files. Only these and the fixed addresses are copied. */
const copiedPaths = [
  /^\/(?:posts|categories|kinds)\/./,
  /^\/media\/\d{4}\/\d\d\/[^/]+$/,
  /^\/(?:photo|webmention-pictures)\/[^/]+$/,
  sitemapPart,
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

/** Returns the addresses on this server to which its response at an address leads, and that can be copied. */
export function linksOf(address: string, answer: SelfAnswer, site: CopiedSite): string[] {
  const text = () => Buffer.from(answer.body).toString('utf8');
  if (isHtml(answer)) return linksIn(text(), address, site);
  if (answer.status === 301) return linksOfRedirect(answer.headers['location'] ?? '', address, site);
  return address === '/sitemap.xml' ? sitemapParts(text(), site.base()) : [];
}

export function linksIn(markup: string, address: string, site: CopiedSite): string[] {
  const base = site.base() + address;
  const { origin } = new URL(base);
  const fixed = new Set(fixedIn(site));
  const copied = new Set<string>();

  function add(value: string, rel: string): void {
    if (!URL.canParse(value, base)) return;
    const { origin: itsOrigin, pathname, search } = new URL(value, base);
    if (itsOrigin !== origin) return;
    if (!fixed.has(pathname) && !copiedPaths.some((one) => one.test(pathname))) return;
    const whole = pathname + search;
    const isPart = isPartOf(whole, address) && /\b(?:next|prev)\b/.test(rel);
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
  return [...copied];
}

function linksOfRedirect(location: string, address: string, site: CopiedSite): string[] {
  if (!URL.canParse(location, site.base() + address)) return [];
  const { origin, pathname, search } = new URL(location, site.base() + address);
  const isOurs = origin === new URL(site.base()).origin;
  return isOurs && isPostAddress(pathname + search) ? [pathname + search] : [];
}

/** Returns the addresses of the parts of which the sitemap of a large site consists. */
function sitemapParts(text: string, base: string): string[] {
  const urls = Array.from(text.matchAll(/<loc>([^<]*)<\/loc>/g), ([, url = '']) => url);
  const parts = urls.filter((url) => URL.canParse(url) && new URL(url).origin === new URL(base).origin);
  return parts.map((url) => new URL(url).pathname).filter((path) => sitemapPart.test(path));
}

/**
 * Returns whether `whole` (a path with its query) is another page of the list at `address`, or of the responses at
 * `address`.
 */
const isPartOf = (whole: string, address: string): boolean =>
  pathOfAddress(whole) === pathOfAddress(address) && /^[^?]+(?:\?(?:after|responses)=[^&]+)?$/.test(whole);

const isIcon = (whole: string): boolean => /^\/(?:favicon\.ico|apple-touch-icon\.png)\?v=[^&]*$/.test(whole);

/**
 * The response headers that a copy keeps. The mailbox at Cloudflare makes its own ETag. Headers about a connection or
 * about a compressed body don't apply to a copy.
 */
const keptHeaders = [
  'access-control-allow-origin',
  'access-control-expose-headers',
  'cache-control',
  'cdn-cache-control',
  'content-disposition',
  'content-security-policy',
  'content-type',
  'cross-origin-resource-policy',
  'last-modified',
  'link',
  'location',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
];

/** Returns the copy of a response; undefined if the response must not be copied. */
export function copyOf(address: string, answer: SelfAnswer): Copy | undefined {
  const { status, body } = answer;
  const isRedirect = status === 301 && answer.headers['location'] !== undefined;
  if ((status !== 200 && !isRedirect) || body.length > mostCopyBytes) return undefined;
  if (/\b(?:no-store|private)\b/i.test(answer.headers['cache-control'] ?? '')) return undefined;
  if (answer.headers['set-cookie'] !== undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const name of keptHeaders) {
    const value = answer.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  const noteAt = isHtml(answer) ? startOfBody(body) : null;
  const hash = createHash('sha256')
    .update(`${JSON.stringify([status, headers, noteAt])}\n`)
    .update(body)
    .digest('hex');
  return { address, hash, status, headers, noteAt, body };
}

/** Returns whether a response is an HTML page. */
const isHtml = ({ status, headers }: Pick<SelfAnswer, 'status' | 'headers'>): boolean =>
  status === 200 && (headers['content-type'] ?? '').startsWith('text/html');

/**
 * Returns the byte position at which the content of a page's body begins. Searches only after the first `</head>`. The
 * owner's CSS in the head can't contain that tag, but it may contain `<body`.
 */
function startOfBody(page: Uint8Array): number | null {
  const bytes = Buffer.from(page.buffer, page.byteOffset, page.byteLength);
  const head = bytes.indexOf('</head>');
  const tag = head === -1 ? -1 : bytes.indexOf('<body', head);
  const end = tag === -1 ? -1 : bytes.indexOf('>', tag);
  return end === -1 ? null : end + 1;
}
