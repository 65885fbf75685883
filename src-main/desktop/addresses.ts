/** The window's own origin. The window never shows anything else. */
export const appOrigin = 'app://porchlight';

/** Returns the URL of the window's page, at a place such as `#/sign-ins?id=...`. */
export function pageAddress(place = ''): string {
  return `${appOrigin}/index.html${place}`;
}

/** Returns the URL of the same page in the small window, which the page then closes on Escape. */
export function smallPageAddress(place: string): string {
  return `${appOrigin}/index.html?small${place}`;
}

/** Returns the place in the window that shows one sign-in for review. */
export function signInPlace(id: string): string {
  return `#/sign-ins?id=${encodeURIComponent(id)}`;
}

/** Returns the place in the window for mentions that arrived together: a single one opens itself. */
export function mentionsPlace(mentions: readonly { readonly id: string; readonly status: string }[]): string {
  const [only] = mentions;
  if (only && mentions.length === 1) return `#/webmentions?id=${encodeURIComponent(only.id)}`;
  return mentions.every(({ status }) => status === 'held') ? '#/webmentions?status=held' : '#/webmentions';
}

const outside = new Set(['https:', 'http:', 'mailto:']);

/** Returns a URL for the system's browser or mail program; undefined for schemes that could start other programs. */
export function externalAddress(address: string): string | undefined {
  if (address.length > 4096 || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!outside.has(url.protocol)) return undefined;
  // A user name before the host only serves to disguise one site as another.
  if (url.username !== '' || url.password !== '') return undefined;
  return url.href;
}
