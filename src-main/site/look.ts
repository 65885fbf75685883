import type { Settings } from '../contract/settings.ts';
import { legible, textOn } from './colours.ts';
import { usableCss } from './css-check.ts';
import { themesColumn, unknownColumn } from '../posts/rendering/picture-source.ts';
import { siteStyle } from './site-style.ts';
import { themes, type Colours, type Theme } from './themes.ts';

/** The appearance of the site's pages. */
export interface Look {
  readonly style: string;
  /** The theme colors that browsers show around the page (theme-color), in light and in dark mode. */
  readonly themeColours: { readonly light: string; readonly dark: string };
  /** The width of the column of text, for the attribute `sizes` of pictures. Unknown if the owner wrote CSS. */
  readonly column: string;
}

type Choice = Pick<Settings['site'], 'theme' | 'accent' | 'css'>;

/** Returns the look that the owner chose. Leaves out CSS that the site can't use. */
export function lookOf({ theme, accent, css }: Choice): Look {
  const chosen = themes[theme];
  const style = [
    rootRules(chosen, accent === '' ? chosen.accent : accent),
    siteStyle,
    chosen.css,
    usableCss(css),
  ];
  return {
    style: style.filter((part) => part !== '').join('\n'),
    themeColours: { light: chosen.light.ground, dark: chosen.dark.ground },
    column: css.trim() === '' ? themesColumn : unknownColumn,
  };
}

/** Returns a version of `make` that caches the look for the most recently requested theme, accent and CSS. */
export function keepingLook(make = lookOf): typeof lookOf {
  let newest: { readonly choice: Choice; readonly look: Look } | undefined;
  return ({ theme, accent, css }) => {
    const choice = newest?.choice;
    if (newest === undefined || choice?.theme !== theme || choice.accent !== accent || choice.css !== css)
      newest = { choice: { theme, accent, css }, look: make({ theme, accent, css }) };
    return newest.look;
  };
}

function rootRules({ light, dark }: Theme, accent: string): string {
  return `:root { color-scheme: light dark; ${variables(light, accent)} }
@media screen and (prefers-color-scheme: dark) { :root { ${variables(dark, accent)} } }`;
}

/**
 * Returns the CSS variables of a theme. `--amber`: the chosen accent color, for decoration. `--accent`: a legible
 * variant for text and outlines.
 */
function variables(colours: Colours, accent: string): string {
  const { ground, surface } = colours;
  const all = {
    ...colours,
    amber: accent,
    'on-amber': textOn(accent),
    accent: legible(accent, [ground, surface]),
  };
  return Object.entries(all)
    .map(([name, colour]) => `--${name}: ${colour};`)
    .join(' ');
}
