/** The window's own origin. Nothing else is ever shown in it. */
export const appOrigin = 'app://porchlight';

/** The page of the window, at one of its places (`#/sign-ins?id=...`). */
export function pageAddress(place = ''): string {
  return `${appOrigin}/index.html${place}`;
}

/** The place in the window where one sign-in is reviewed. */
export function signInPlace(id: string): string {
  return `#/sign-ins?id=${encodeURIComponent(id)}`;
}

/** The place in the window of mentions that arrived together: the mention itself, opened, or the list that has them. */
export function mentionsPlace(mentions: readonly { readonly id: string; readonly status: string }[]): string {
  const [only] = mentions;
  if (only && mentions.length === 1) return `#/webmentions?id=${encodeURIComponent(only.id)}`;
  return mentions.every(({ status }) => status === 'held') ? '#/webmentions?status=held' : '#/webmentions';
}

const outside = new Set(['https:', 'http:', 'mailto:']);

/**
 * The address to hand to the system's browser or mail program; undefined where it may not be: any other scheme could
 * start a program with arguments that a stranger chose.
 */
export function externalAddress(address: string): string | undefined {
  if (address.length > 4096 || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!outside.has(url.protocol)) return undefined;
  // A name before the host is only good for making one site look like another.
  if (url.username !== '' || url.password !== '') return undefined;
  return url.href;
}
