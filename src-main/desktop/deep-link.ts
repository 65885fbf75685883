import { screens } from '../contract/screens.ts';

/** The scheme of our links. Any page or program may open them, so they only ever show a screen. */
export const linkScheme = 'porchlight';

/**
 * Returns the place in the window for a link such as `porchlight:sign-ins` or `porchlight://setup/`. Undefined for
 * everything else: an unknown screen, a query, a fragment or a longer path.
 */
export function placeOfLink(link: string): string | undefined {
  // Browsers add two slashes before the screen's name, and one after it.
  const [, screen] = /^porchlight:(?:\/\/)?([a-z-]{1,20})\/?$/i.exec(link) ?? [];
  const known = screens.find((name) => name === screen?.toLowerCase());
  return known === undefined ? undefined : `#/${known}`;
}

/** Returns the place of the first link on a command line, which is how Windows and Linux deliver links. */
export function placeOfArguments(args: readonly string[]): string | undefined {
  return args.map(placeOfLink).find((place) => place !== undefined);
}
