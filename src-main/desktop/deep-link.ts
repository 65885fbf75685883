import { screens } from '../contract/screens.ts';

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
