import { linkScheme } from '../contract/names.ts';
import { responseKinds } from '../contract/post-kinds.ts';
import { screenNamed } from '../contract/window.ts';

/** The origin of the app's own pages. The window never shows a page of another origin. */
export const appOrigin = 'app://porchlight';

/** Returns the URL of the window's page. `place`: the part of the page to show, such as `#/sign-ins?id=...`. */
export function pageAddress(place = ''): string {
  return `${appOrigin}/index.html${place}`;
}

/** Returns the URL of the small window's page. The page closes this window when Escape is pressed. */
export function smallPageAddress(place: string): string {
  return `${appOrigin}/index.html?small${place}`;
}

/** Returns the URL fragment at which the window shows one sign-in for review. */
export function signInPlace(id: string): string {
  return `#/sign-ins?id=${encodeURIComponent(id)}`;
}

/**
 * Returns the URL fragment at which the window lists mentions that arrived together. For a single mention, returns the
 * fragment of that mention.
 */
export function mentionsPlace(mentions: readonly { readonly id: string; readonly status: string }[]): string {
  const [only] = mentions;
  if (only && mentions.length === 1) return `#/webmentions?id=${encodeURIComponent(only.id)}`;
  return mentions.every(({ status }) => status === 'held') ? '#/webmentions?status=held' : '#/webmentions';
}

const outside = new Set(['https:', 'http:', 'mailto:']);

/**
 * Returns a URL if it is safe to open in the system's browser or mail program. Returns undefined for schemes that could
 * start other programs.
 */
export function externalAddress(address: string): string | undefined {
  if (address.length > 4096 || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!outside.has(url.protocol)) return undefined;
  // In a link, a user name before the host only serves to disguise one site as another.
  if (url.username !== '' || url.password !== '') return undefined;
  return url.href;
}

const linkPattern = new RegExp(`^${linkScheme}:(?://)?([a-z-]{1,20})/?(?:\\?([^#\\s]*))?$`, 'i');

/** The longest address that a link may name, in characters. */
const longestLinked = 2000;

/**
 * Returns the URL fragment of the screen for a link such as `porchlight:sign-ins` or `porchlight://setup/`. A link to the
 * editor may name a page to respond to, such as `porchlight:write?reply=https%3A%2F%2Fa.example%2F`; anything else after
 * the question mark is left out. Returns undefined for an unknown screen, a fragment, a longer path, or a query of another
 * screen.
 */
export function placeOfLink(link: string): string | undefined {
  // Browsers add two slashes before the screen's name in a link, and one slash after the name.
  const [, screen, query] = linkPattern.exec(link) ?? [];
  const known = screen === undefined ? undefined : screenNamed(screen.toLowerCase());
  if (known === undefined) return undefined;
  if (query === undefined) return `#/${known}`;
  return known === 'write' ? `#/write${responseIn(query)}` : undefined;
}

/** Returns the query with which the editor opens for the query of a link; empty if the link names no page to respond to. */
function responseIn(query: string): string {
  const [asked, more] = new URLSearchParams(query);
  if (asked === undefined || more !== undefined) return '';
  const [verb, value] = asked;
  const isKnown = responseKinds.some(({ kind }) => kind === verb);
  if (!isKnown || !/^https?:\/\//i.test(value) || /\s/.test(value)) return '';
  const address = externalAddress(value);
  if (address === undefined || address.length > longestLinked) return '';
  return `?${verb}=${encodeURIComponent(address)}`;
}

/**
 * Returns the URL fragment for the first Porchlight link on a command line. Windows and Linux pass links to the app
 * this way.
 */
export function placeOfArguments(args: readonly string[]): string | undefined {
  return args.map(placeOfLink).find((place) => place !== undefined);
}
