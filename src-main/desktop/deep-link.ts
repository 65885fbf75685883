import { screens } from '../contract/screens.ts';

/** The scheme of our links, which any page and program may open: so they only ever show a screen. */
export const linkScheme = 'porchlight';

/**
 * The place in the window that a link like `porchlight:sign-ins` or `porchlight://setup/` opens. Undefined for
 * everything else: another screen, a query, a fragment, a longer path.
 */
export function placeOfLink(link: string): string | undefined {
  // Browsers add the slashes, and one at the end.
  const [, screen] = /^porchlight:(?:\/\/)?([a-z-]{1,20})\/?$/i.exec(link) ?? [];
  const known = screens.find((name) => name === screen?.toLowerCase());
  return known === undefined ? undefined : `#/${known}`;
}

/** The place of the first link on a command line: how Windows and Linux hand one over. */
export function placeOfArguments(args: readonly string[]): string | undefined {
  return args.map(placeOfLink).find((place) => place !== undefined);
}
