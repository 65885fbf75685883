import type { Settings } from '../contract/settings.ts';

/** The colors of a theme in light or dark mode, each as `#rrggbb`. */
export interface Colours {
  readonly ground: string;
  /** The background color of posts. */
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
