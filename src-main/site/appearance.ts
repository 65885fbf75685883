import type { Settings } from '../contract/settings.ts';
import { themesColumn, unknownColumn } from '../posts/rendering/embedded.ts';
import { usableCss } from './css-check.ts';

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

/** The colors of a theme in light or dark mode, each as `#rrggbb`. */
interface Colours {
  readonly ground: string;
  /** The background color of posts. */
  readonly surface: string;
  readonly ink: string;
  /** The color of less important text. */
  readonly soft: string;
  readonly line: string;
}

interface Theme {
  readonly light: Colours;
  readonly dark: Colours;
  /** The default accent color, for owners who haven't chosen one. */
  readonly accent: string;
  /** The theme's own rules, in addition to the shared style (site-style.ts). */
  readonly css: string;
}

const porch: Theme = {
  light: { ground: '#faf8f5', surface: '#ffffff', ink: '#2b2723', soft: '#6b635a', line: '#e5dfd6' },
  dark: { ground: '#1b1917', surface: '#25221f', ink: '#ede8e1', soft: '#aaa197', line: '#3a3530' },
  accent: '#f2a33a',
  css: '',
};

/** A theme like a printed page: serif type on plain paper, with rules (lines) instead of cards. */
const paper: Theme = {
  light: { ground: '#fdfcf9', surface: '#fdfcf9', ink: '#1f1d1a', soft: '#67625a', line: '#d9d4c8' },
  dark: { ground: '#171614', surface: '#171614', ink: '#e9e4da', soft: '#a59e92', line: '#39352f' },
  accent: '#b3402a',
  css: `
:root { --text: 'Iowan Old Style', 'Palatino Linotype', Palatino, 'Book Antiqua', 'Source Serif 4', Georgia, serif; --head: var(--text); --small: .9rem; }
body { font-size: 1.1875rem; line-height: 1.65; }
.column { max-width: 38rem; }
header.column { padding-top: 3.5rem; text-align: center; }
.owner { flex-direction: column; gap: .6rem; }
.owner .links, header.column nav ul { justify-content: center; }
header.column nav { border-block: 1px solid var(--line); margin-top: 1.75rem; padding: .5rem 0; }
h1, h2, h3 { font-weight: 500; letter-spacing: -.01em; text-wrap: balance; }
h1, .owner h1 { font-size: 2.1rem; }
.e-content h2, .e-content h3, .e-content h4 { font-size: 1.2rem; font-weight: 600; }
main > h1, .h-feed > h1 { margin-bottom: 1.5rem; }
article { border: 0; border-radius: 0; border-bottom: 1px solid var(--line); padding: 0 0 2.25rem; margin: 0 0 2.25rem; }
article > h1.title, article > h3.title, article.own > h1 { font-size: 1.9rem; line-height: 1.2; margin-bottom: .8rem; }
article > h1.kind, p.kind { font-style: italic; font-weight: 400; font-size: var(--small); letter-spacing: 0; }
.media img, .media video, .e-content img, .e-content video { border-radius: 0; }
.meta { font-style: italic; font-size: var(--small); }
footer.column { justify-content: center; }
`,
};

/** An airy, round theme with the owner beside the posts on wide screens. */
const garden: Theme = {
  light: { ground: '#eef3ea', surface: '#fbfdf9', ink: '#1e2a20', soft: '#526052', line: '#d3dfcd' },
  dark: { ground: '#121a14', surface: '#1b251d', ink: '#e3ece1', soft: '#9db09d', line: '#2f3d31' },
  accent: '#3d8b4f',
  css: `
:root { --text: Seravek, 'Gill Sans Nova', Ubuntu, Calibri, 'DejaVu Sans', source-sans-pro, sans-serif; --head: Optima, Candara, 'Noto Sans', source-sans-pro, var(--text); }
body { font-size: 1.0625rem; line-height: 1.7; }
h1, h2, h3 { font-weight: 600; color: var(--accent); }
h1 { font-size: 1.9rem; }
.owner h1, .owner .name { color: var(--ink); }
.owner .portrait { border-radius: 42% 58% 55% 45% / 55% 45% 58% 42%; }
article { border: 0; border-radius: 2rem .5rem; padding: 2rem 2.25rem; margin-bottom: 2rem; box-shadow: 0 1px 3px rgb(0 0 0 / .07); }
article > h1.title, article > h3.title, article.own > h1 { font-size: 1.7rem; }
article > h1.kind, p.kind { display: inline-block; background: var(--ground); color: var(--soft); border-radius: 1rem; padding: .05rem .75rem; }
.media img, .media video, .e-content img, .e-content video { border-radius: 1.25rem .35rem; }
@media (max-width: 30rem) { article { padding: 1.35rem 1.25rem; } }
@media (min-width: 62rem) {
  body { display: grid; grid-template-columns: minmax(0, 19rem) minmax(0, 42rem); column-gap: 3rem; justify-content: center; align-content: start; }
  .column { margin: 0; width: 100%; }
  header.column { grid-row: 1 / span 2; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 3.5rem 0 2rem 1.25rem; }
  main.column { padding-top: 3.5rem; min-height: 75vh; }
  .owner { flex-direction: column; align-items: flex-start; }
  header.column nav ul { flex-direction: column; }
}
`,
};

/** The built-in themes. They use only fonts that are installed on visitors' devices. */
export const themes: Readonly<Record<Settings['site']['theme'], Theme>> = { porch, paper, garden };

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

/**
 * The style sheet that all themes share. A theme's colors are inserted before it, and the theme's own rules after it.
 * See appearance.ts for the colors.
 */
const siteStyle = `:root { --text: system-ui, -apple-system, 'Segoe UI', sans-serif; --head: var(--text); --small: .875rem; }
* { box-sizing: border-box; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
.light { display: inline-block; width: .7em; height: .7em; border-radius: 50%; background: var(--amber); margin-right: .4em; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1.0625rem/1.6 var(--text); }
h1, h2, h3, .owner .name { font-family: var(--head); }
.skip { position: absolute; inset-inline-start: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--surface); border-radius: 8px; z-index: 1; }
.skip:focus { top: 1rem; }
.column { max-width: 42rem; margin: 0 auto; padding: 0 1.25rem; overflow-wrap: anywhere; }
a { color: inherit; text-decoration-color: var(--amber); text-underline-offset: .18em; text-decoration-thickness: .1em; }
a:hover { text-decoration-thickness: .16em; }
header.column { padding-top: 2.5rem; padding-bottom: 1.5rem; }
.owner { display: flex; gap: .9rem; align-items: center; }
.owner a { text-decoration: none; }
.owner a:hover { text-decoration: underline; }
.owner > a { display: inline-flex; gap: .7rem; align-items: center; font-weight: 650; }
.owner h1 { font-size: 1.7rem; line-height: 1.2; margin: 0; }
.owner p { margin: .15rem 0 0; }
.owner .links { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; margin: .5rem 0 0; padding: 0; font-size: .9375rem; }
.owner .links a { text-decoration: underline; text-decoration-color: var(--amber); }
data:empty { display: none; }
.owner .light { margin: 0; flex: none; }
.owner .portrait { width: 96px; height: 96px; border-radius: 50%; object-fit: cover; flex: none; }
.owner > a .portrait { width: 40px; height: 40px; }
.about { margin-top: 1.1rem; }
.about > :first-child { margin-top: 0; }
.about > :last-child { margin-bottom: 0; }
header.column nav { margin-top: 1.1rem; }
header.column nav ul { display: flex; flex-wrap: wrap; gap: .1rem 1.25rem; list-style: none; margin: 0; padding: 0; }
header.column nav a { display: inline-block; padding: .2rem 0; text-decoration: none; }
header.column nav a:hover { text-decoration: underline; }
header.column nav a[aria-current] { color: var(--accent); font-weight: 600; text-decoration: underline; }
form.search { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0 1.5rem; }
form.search label { flex-basis: 100%; }
form.search input { flex: 1 1 12rem; min-width: 0; font: inherit; padding: .5rem .8rem; border: 1px solid var(--soft); border-radius: 8px; background: var(--surface); color: var(--ink); }
form.search button { font: inherit; font-weight: 600; padding: .5rem 1.1rem; border: 0; border-radius: 8px; background: var(--amber); color: var(--on-amber); cursor: pointer; }
.recent { list-style: none; margin: 0; padding: 0; }
.recent li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: .4rem 0; border-top: 1px solid var(--line); }
.recent time { color: var(--soft); font-size: var(--small); }
article { background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: 1.5rem 1.75rem; margin: 0 0 1.25rem; }
h1 { font-size: 1.7rem; }
h2 { font-size: 1.15rem; }
h1, h2, h3 { line-height: 1.3; margin: 0 0 .6rem; font-weight: 650; }
main > h1, .h-feed > h1 { margin-bottom: .9rem; }
main > h2, main > section + section { margin-top: 1.75rem; }
article > h1, article > h3 { font-size: 1.45rem; }
article.own > h1 { font-size: 1.7rem; }
.up { margin: 0 0 .25rem; }
article .title a { text-decoration: none; }
article .title a:hover { text-decoration: underline; }
article > h1.kind, p.kind { font-size: .8125rem; font-weight: 600; color: var(--soft); margin: 0 0 .5rem; letter-spacing: .02em; }
.soft, small { color: var(--soft); font-size: var(--small); }
.context { border-inline-start: 3px solid var(--amber); padding-inline-start: .9rem; margin: 0 0 1rem; }
.context p { margin: 0; }
.context blockquote { margin: .4rem 0 0; color: var(--soft); }
.e-content > :first-child, .context blockquote > :first-child { margin-top: 0; }
.e-content > :last-child, .context blockquote > :last-child { margin-bottom: 0; }
.e-content { overflow-x: auto; }
.e-content img, .e-content video, .media img, .media video { max-width: 100%; height: auto; border-radius: 8px; }
.e-content blockquote { margin: 1rem 0; padding-inline-start: 1rem; border-inline-start: 3px solid var(--line); color: var(--soft); }
.e-content figure { margin: 1rem 0; }
.e-content figcaption { color: var(--soft); font-size: var(--small); }
.e-content pre { background: var(--ground); border-radius: 8px; padding: .8rem 1rem; white-space: pre-wrap; }
.e-content h2, .e-content h3, .e-content h4 { margin-top: 1.6rem; font-size: 1.1rem; }
.e-content table { border-collapse: collapse; }
.e-content td, .e-content th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: start; }
code, pre { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.media { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; margin: 0 0 1rem; padding: 0; justify-items: center; }
.media a { display: block; max-width: 100%; }
.media img, .media video { display: block; width: auto; max-height: 90vh; object-fit: contain; background: var(--ground); }
.media video, .media audio { width: 100%; }
.media.many { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .4rem; }
.media.many:has(> :nth-child(2):last-child), .media.many:has(> :nth-child(4):last-child) { grid-template-columns: repeat(2, minmax(0, 1fr)); }
.media.many > * { width: 100%; }
.media.many > :is(video, audio) { grid-column: 1 / -1; }
.media.many img { width: 100%; height: 100%; aspect-ratio: 1; object-fit: cover; }
.facts { margin: 0 0 1rem; display: grid; grid-template-columns: auto 1fr; gap: .2rem 1rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; }
.meta { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; margin-top: 1.1rem; color: var(--soft); font-size: var(--small); }
.meta p { margin: 0; }
.meta a { text-decoration-color: var(--line); }
.meta a:hover { text-decoration-color: var(--amber); }
.tags { display: flex; flex-wrap: wrap; gap: .25rem .75rem; list-style: none; margin: 0; padding: 0; }
.tags a::before { content: '#'; }
.responses { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: 1.25rem; font-size: .9375rem; }
.responses h2 { font-size: 1.1rem; margin: 0; }
.responses > p.soft { margin: 0 0 .25rem; }
.responses h3 { font-size: .8125rem; font-weight: 600; color: var(--soft); margin: 1.1rem 0 .4rem; }
.face { display: grid; place-items: center; flex: none; width: 40px; height: 40px; border-radius: 50%; object-fit: cover; background: var(--line); color: var(--ink); font-size: 1.0625rem; font-weight: 600; line-height: 1; overflow: hidden; }
.faces, .said { list-style: none; margin: 0; padding: 0; }
.faces { display: flex; flex-wrap: wrap; gap: .375rem; }
.faces a { display: block; position: relative; text-decoration: none; border-radius: 50%; }
.faces a:hover .face { filter: brightness(.94); }
.said { margin-top: 1.25rem; }
.said > li { position: relative; min-height: calc(40px + 1.8rem); padding: .9rem 0; padding-inline-start: calc(40px + .8rem); border-top: 1px solid var(--line); }
.said .face { position: absolute; inset-inline-start: 0; top: .9rem; }
.said .by { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .6rem; margin: 0 0 .3rem; }
.said .p-author { font-weight: 600; }
.said .e-content + p { margin: .4rem 0 0; }
.said .file img { display: block; max-width: 100%; height: auto; max-height: 24rem; border-radius: 8px; }
.responses nav.pages { padding-bottom: 0; align-items: baseline; }
.copy-note { background: var(--surface); border-bottom: 1px solid var(--line); color: var(--soft); font-size: var(--small); padding: .6rem 1.25rem; text-align: center; text-wrap: balance; overflow-wrap: anywhere; }
nav.pages { display: flex; justify-content: space-between; gap: 1rem; padding: .5rem 0 1rem; }
footer.column { padding-top: 1rem; padding-bottom: 2.5rem; color: var(--soft); font-size: var(--small); display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .25rem 1.25rem; list-style: none; margin: 0 0 1.5rem; padding: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 30rem) {
  article { padding: 1.1rem 1.15rem; }
  header.column { padding-top: 1.5rem; }
  .owner .portrait { width: 72px; height: 72px; }
  .media.many { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .media.many > a:first-child:nth-last-child(odd) { grid-column: 1 / -1; }
  .media.many > a:first-child:nth-last-child(odd) img { aspect-ratio: 2; }
}
@media print {
  :root { color-scheme: light; }
  body { display: block; background: none; font-size: 11pt; }
  .column { max-width: none; padding: 0; margin: 0; }
  header.column { position: static; padding: 0 0 1rem; }
  header.column nav, form.search, nav.pages, footer.column, .skip, .media audio, .media video { display: none; }
  article { border: 0; border-radius: 0; box-shadow: none; padding: 0; margin: 0 0 1.5rem; background: none; }
  h1, h2, h3 { break-after: avoid; }
  img, figure, blockquote, pre { break-inside: avoid; }
  .media img, .e-content img { max-height: 18cm; }
  .e-content a[href^='http']:not([rel~='tag'])::after { content: ' (' attr(href) ')'; color: var(--soft); font-size: .85em; overflow-wrap: anywhere; }
}
`;
