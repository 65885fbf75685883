import type { Settings } from '../contract/settings.ts';

/** The colors of a theme in light or dark mode, each as `#rrggbb`. */
export interface Colours {
  readonly ground: string;
  /** The background color of fields, code and, in some themes, of posts in lists. */
  readonly surface: string;
  readonly ink: string;
  /** The color of less important text. */
  readonly soft: string;
  readonly line: string;
}

export interface Theme {
  readonly light: Colours;
  readonly dark: Colours;
  /** The default accent color, for owners who haven't chosen one. */
  readonly accent: string;
  /** The theme's own rules, in addition to the shared style (site-style.ts). */
  readonly css: string;
}

/** The default theme: clear type on warm paper, with a lit porch light as its only decoration. */
const porch: Theme = {
  light: { ground: '#faf8f5', surface: '#ffffff', ink: '#2b2723', soft: '#6b635a', line: '#e5dfd6' },
  dark: { ground: '#1b1917', surface: '#25221f', ink: '#ede8e1', soft: '#aaa197', line: '#3a3530' },
  accent: '#f2a33a',
  css: `
main > article > .title + .meta::after { content: ''; flex: 0 0 100%; height: 3px; margin-top: 1.1rem; border-radius: 2px; background: linear-gradient(90deg, var(--amber) 3rem, transparent 3rem); }
main > article > .title:dir(rtl) + .meta::after { transform: scaleX(-1); }
.media.cover img { border-radius: 14px; }
@media screen and (min-width: 54rem) { main > article > .media.cover { margin-inline: -5rem; } }
`,
};

/** A theme like a printed page: serif type on plain paper, with rules (lines) around the navigation. */
const paper: Theme = {
  light: { ground: '#fdfcf9', surface: '#f7f4ec', ink: '#1f1d1a', soft: '#67625a', line: '#d9d4c8' },
  dark: { ground: '#171614', surface: '#1f1e1b', ink: '#e9e4da', soft: '#a59e92', line: '#39352f' },
  accent: '#b3402a',
  css: `
:root { --text: 'Iowan Old Style', 'Palatino Linotype', Palatino, 'Book Antiqua', 'Source Serif 4', Georgia, serif; --small: .9375rem; --edge: 0; }
@media screen { body { font-size: 1.1875rem; line-height: 1.65; } }
header.column { flex-direction: column; align-items: center; gap: 1.5rem; padding-top: 3rem; text-align: center; }
.owner { flex-direction: column; gap: .6rem; }
.owner > .light { align-self: auto; margin: 0; }
.owner .links, header.column nav ul { justify-content: center; }
header.column nav { align-self: stretch; border-block: 1px solid var(--line); padding: .5rem 0; }
h1, h2, h3, h4 { font-weight: 500; letter-spacing: -.01em; }
.e-content h2, .e-content h3 { font-weight: 600; }
.meta { font-style: italic; }
footer.column { justify-content: center; }
`,
};

/** An airy, round theme with the owner beside the posts on wide screens. */
const garden: Theme = {
  light: { ground: '#eef3ea', surface: '#fbfdf9', ink: '#1e2a20', soft: '#526052', line: '#d3dfcd' },
  dark: { ground: '#121a14', surface: '#1b251d', ink: '#e3ece1', soft: '#9db09d', line: '#2f3d31' },
  accent: '#3d8b4f',
  css: `
:root { --text: Seravek, 'Gill Sans Nova', Ubuntu, Calibri, 'DejaVu Sans', source-sans-pro, sans-serif; --head: Optima, Candara, 'Noto Sans', source-sans-pro, var(--text); --edge: 1.1rem .35rem; }
body { line-height: 1.65; }
h1, h2, h3, h4 { font-weight: 600; }
h1, h2, h3 { color: var(--accent); }
.owner h1, .owner .name { color: var(--ink); }
.owner .portrait { border-radius: 42% 58% 55% 45% / 55% 45% 58% 42%; }
.h-feed > article, .h-feed > h2.hidden:first-child + article { background: var(--surface); border: 0; border-radius: 2rem .5rem; padding: 1.75rem 2rem; margin: 0 -2rem 1.75rem; box-shadow: 0 1px 3px rgb(0 0 0 / .07); }
@media (max-width: 45rem) { .h-feed > article, .h-feed > h2.hidden:first-child + article { padding: 1.35rem 1rem; margin: 0 -1rem 1.25rem; } }
@media (min-width: 66rem) {
  body { display: grid; grid-template-columns: minmax(0, 19rem) minmax(0, 38.5rem); column-gap: 4rem; justify-content: center; align-content: start; }
  .column { margin: 0; width: 100%; }
  header.column { grid-row: 1 / span 2; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; flex-direction: column; align-items: stretch; gap: 1.25rem; padding: 3.5rem 0 2rem 1.25rem; }
  header.column > .h-card { flex: none; }
  main.column { padding-top: 3.5rem; min-height: 75vh; }
  .owner { flex-direction: column; align-items: flex-start; }
  header.column nav ul { flex-direction: column; }
}
@media print { .h-feed > article, .h-feed > h2.hidden:first-child + article { padding: 0; margin: 0 0 1.5rem; box-shadow: none; background: none; } }
`,
};

/** The built-in themes. They use only fonts that are installed on visitors' devices. */
export const themes: Readonly<Record<Settings['site']['theme'], Theme>> = { porch, paper, garden };
