import { screens } from '../contract/window.ts';

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

/**
 * The scheme of Porchlight's links. Any web page or program can open such a link, so the only effect of a link is to
 * show a screen.
 */
export const linkScheme = 'porchlight';

/**
 * Returns the URL fragment of the screen for a link such as `porchlight:sign-ins` or `porchlight://setup/`. Returns
 * undefined for an unknown screen, a query, a fragment or a longer path.
 */
export function placeOfLink(link: string): string | undefined {
  // Browsers add two slashes before the screen's name in a link, and one slash after the name.
  const [, screen] = /^porchlight:(?:\/\/)?([a-z-]{1,20})\/?$/i.exec(link) ?? [];
  const known = screens.find((name) => name === screen?.toLowerCase());
  return known === undefined ? undefined : `#/${known}`;
}

/**
 * Returns the URL fragment for the first Porchlight link on a command line. Windows and Linux pass links to the app
 * this way.
 */
export function placeOfArguments(args: readonly string[]): string | undefined {
  return args.map(placeOfLink).find((place) => place !== undefined);
}
