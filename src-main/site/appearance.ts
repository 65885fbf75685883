import type { Settings } from '../contract/settings.ts';
import { baseStyle, packed } from '../http/page.ts';
import { themesColumn, unknownColumn } from '../posts/rendering/embedded.ts';
import { usableCss } from './css-check.ts';
import { type Colours, type Theme, themes } from './themes.ts';
import { styleSheet } from '../http/style-sheet.ts';

const siteStyle = styleSheet(import.meta.dirname, 'styles/site.css');

/** The appearance of the site's pages. */
export interface Appearance {
  readonly style: string;
  /** The theme colors that browsers show around the page (theme-color), in light and in dark mode. */
  readonly themeColours: { readonly light: string; readonly dark: string };
  /** The width of the column of text, for the attribute `sizes` of pictures. Unknown if the owner wrote CSS. */
  readonly column: string;
}

type Choice = Pick<Settings['site'], 'theme' | 'accent' | 'css'>;

/** Returns the look that the owner chose. Leaves out CSS that the site can't use. */
export function appearanceOf({ theme, accent, css }: Choice): Appearance {
  const chosen = themes[theme];
  const style = [
    rootRules(chosen, accent === '' ? chosen.accent : accent),
    baseStyle,
    packed(siteStyle),
    packed(chosen.css),
    usableCss(css),
  ];
  return {
    style: style.filter((part) => part !== '').join('\n'),
    themeColours: { light: chosen.light.ground, dark: chosen.dark.ground },
    column: css.trim() === '' ? themesColumn : unknownColumn,
  };
}

/** Returns a version of `make` that caches the look for the most recently requested theme, accent and CSS. */
export function keepingAppearance(make = appearanceOf): typeof appearanceOf {
  let newest: { readonly choice: Choice; readonly appearance: Appearance } | undefined;
  return ({ theme, accent, css }) => {
    const choice = newest?.choice;
    if (newest === undefined || choice?.theme !== theme || choice.accent !== accent || choice.css !== css)
      newest = { choice: { theme, accent, css }, appearance: make({ theme, accent, css }) };
    return newest.appearance;
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

/** A color as `#rrggbb`. */
type Colour = string;

/** The minimum contrast between text and its background (WCAG 2.2, 1.4.3). */
const leastContrast = 4.5;

const channelsOf = (colour: Colour): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** Returns the relative luminance of a color, from 0 to 1 (WCAG 2.2). */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.2). */
export function contrast(one: Colour, other: Colour): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns a mixture of two colors. `part`: the proportion of `other`, from 0 to 1. */
function mixed(one: Colour, other: Colour, part: number): Colour {
  const others = channelsOf(other);
  const channels = channelsOf(one).map((channel, index) =>
    Math.round(channel + ((others[index] ?? 0) - channel) * part),
  );
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * Returns a variant of a color that is legible as text on all the background colors in `grounds`. This is the color
 * itself if possible. Otherwise, it is the closest color that is darker (for light backgrounds) or lighter (for dark
 * backgrounds).
 */
export function legible(colour: Colour, grounds: readonly Colour[]): Colour {
  const end = grounds.every((ground) => luminance(ground) > 0.18) ? '#000000' : '#ffffff';
  for (let part = 0; part < 1; part += 0.02) {
    const variant = mixed(colour, end, part);
    if (grounds.every((ground) => contrast(variant, ground) >= leastContrast)) return variant;
  }
  return end;
}

/** Returns black or white, whichever is easier to read on a color. */
export function textOn(colour: Colour): Colour {
  return contrast('#000000', colour) >= contrast('#ffffff', colour) ? '#000000' : '#ffffff';
}
