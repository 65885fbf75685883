import type { Settings } from '../contract/settings.ts';
import { styleSheet } from '../http/style-sheet.ts';

const gardenStyle = styleSheet(import.meta.dirname, 'styles/garden.css');
const paperStyle = styleSheet(import.meta.dirname, 'styles/paper.css');
const porchStyle = styleSheet(import.meta.dirname, 'styles/porch.css');

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
  /** The theme's own rules, in addition to those of all pages and of the site (http/styles, site/styles). */
  readonly css: string;
}

/** The default theme: clear type on warm paper, with a lit porch light as its only decoration. */
const porch: Theme = {
  light: { ground: '#faf8f5', surface: '#ffffff', ink: '#2b2723', soft: '#6b635a', line: '#e5dfd6' },
  dark: { ground: '#1b1917', surface: '#25221f', ink: '#ede8e1', soft: '#aaa197', line: '#3a3530' },
  accent: '#f2a33a',
  css: porchStyle,
};

/** A theme like a printed page: serif type on plain paper, with rules (lines) around the navigation. */
const paper: Theme = {
  light: { ground: '#fdfcf9', surface: '#f7f4ec', ink: '#1f1d1a', soft: '#67625a', line: '#d9d4c8' },
  dark: { ground: '#171614', surface: '#1f1e1b', ink: '#e9e4da', soft: '#a59e92', line: '#39352f' },
  accent: '#b3402a',
  css: paperStyle,
};

/** An airy, round theme with the owner beside the posts on wide screens. */
const garden: Theme = {
  light: { ground: '#eef3ea', surface: '#fbfdf9', ink: '#1e2a20', soft: '#526052', line: '#d3dfcd' },
  dark: { ground: '#121a14', surface: '#1b251d', ink: '#e3ece1', soft: '#9db09d', line: '#2f3d31' },
  accent: '#3d8b4f',
  css: gardenStyle,
};

/** The built-in themes. They use only fonts that are installed on visitors' devices. */
export const themes: Readonly<Record<Settings['site']['theme'], Theme>> = { porch, paper, garden };
