import type { Settings, SettingsPatch } from '../../../src-main/contract/settings.ts';
import type { SitePage } from '../../../src-main/contract/site-settings.ts';
import { isWaiting, type WaitingPhoto } from './unsaved.ts';
import { sitePageWords } from './words.ts';

type Site = Settings['site'];

/**
 * The name of a page that isn't written yet, and of the text about the owner, in `#/write?page=`. That text is on the home
 * page and has neither a title nor an address.
 */
export const newPage = 'new';
export const aboutPage = '_about';

const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const emptyPage: SitePage = { slug: '', title: '', text: '' };

/** Returns the page with a name as it is on the site; undefined if there is none. */
export function savedPage({ about, pages }: Site, name: string): SitePage | undefined {
  if (name === aboutPage) return { ...emptyPage, text: about };
  return name === newPage ? emptyPage : pages.find(({ slug }) => slug === name);
}

/** Returns the change of the settings that puts a page on the site, in place of the page with this name. */
export function withPage({ pages }: Site, name: string, page: SitePage): SettingsPatch {
  if (name === aboutPage) return { site: { about: page.text } };
  const isThere = pages.some(({ slug }) => slug === name);
  return {
    site: { pages: isThere ? pages.map((one) => (one.slug === name ? page : one)) : [...pages, page] },
  };
}

/** Returns the page after its title changed. Its address follows from the title until the owner chooses one. */
export function withTitle(page: SitePage, title: string): SitePage {
  const follows = page.slug === pageSlug(page.title);
  return { ...page, title, ...(follows && { slug: pageSlug(title) }) };
}

/** Returns the problems of a page, each for the field that it is about. `name`: its name before the change. */
export function pageProblems(
  { title, slug }: SitePage,
  name: string,
  { pages }: Site,
): { readonly title?: string; readonly slug?: string } {
  if (name === aboutPage) return {};
  // A page at “new” could not be opened here.
  const isTaken = slug === newPage || pages.some((other) => other.slug === slug && other.slug !== name);
  return {
    ...(title.trim() === '' && { title: sitePageWords.titleMissing }),
    ...(!slugPattern.test(slug)
      ? { slug: sitePageWords.slugMissing }
      : isTaken && { slug: sitePageWords.slugTaken }),
  };
}

/** Returns an address for a page with this title: `about-me` for “About me”. */
export function pageSlug(title: string): string {
  return title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '');
}

/** A page that the owner has changed and not saved yet. `base`: the page on the site that the owner began with. */
interface KeptPage {
  readonly page: SitePage;
  readonly base: SitePage;
  /** The pictures for the text that the server doesn't have yet. */
  readonly waiting?: readonly WaitingPhoto[];
}

const prefix = 'porchlight.page ';

/** Keeps a changed page in this browser until it is saved, through a reload, a restart and a crash; null removes it. */
export function keepPage(name: string, kept: KeptPage | null): void {
  try {
    if (kept === null) window.localStorage.removeItem(prefix + name);
    else window.localStorage.setItem(prefix + name, JSON.stringify(kept));
  } catch {
    // A browser that forbids storage, or that has no room, keeps the page only while it is shown.
  }
}

/** Returns the page that this browser keeps; null if it keeps none. */
export function keptPage(name: string): KeptPage | null {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(prefix + name) ?? 'null');
    return isKept(kept) ? kept : null;
  } catch {
    return null;
  }
}

const isPage = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ['slug', 'title', 'text'].every((key) => typeof (value as Record<string, unknown>)[key] === 'string');

/** An older version of the window may have kept something else. */
const isKept = (value: unknown): value is KeptPage =>
  typeof value === 'object' &&
  value !== null &&
  'page' in value &&
  'base' in value &&
  isPage(value.page) &&
  isPage(value.base) &&
  (!('waiting' in value) || (Array.isArray(value.waiting) && value.waiting.every(isWaiting)));

/** Returns whether two pages are the same. */
export const isSamePage = (a: SitePage, b: SitePage): boolean =>
  a.slug === b.slug && a.title === b.title && a.text === b.text;
