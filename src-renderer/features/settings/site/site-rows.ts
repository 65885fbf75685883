import type { Settings } from '../../../../src-main/contract/settings.ts';
import { linkWords, pageWords } from './words.ts';

type Site = Settings['site'];
type Link = Site['links'][number];
type Page = Site['pages'][number];

const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Returns the problems of a link, each for the field that it is about. */
export function linkProblems({ label, url }: Link): { readonly label?: string; readonly url?: string } {
  return {
    ...(label.trim() === '' && { label: linkWords.labelMissing }),
    ...(!/^https?:\/\//i.test(url.trim()) && { url: linkWords.urlMissing }),
  };
}

/** Returns the problems of one of the pages, each for the field that it is about. */
export function pageProblems(
  page: Page,
  pages: readonly Page[],
): { readonly title?: string; readonly slug?: string } {
  const isTaken = pages.some((other) => other !== page && other.slug === page.slug);
  return {
    ...(page.title.trim() === '' && { title: pageWords.titleMissing }),
    ...(!slugPattern.test(page.slug)
      ? { slug: pageWords.slugMissing }
      : isTaken && { slug: pageWords.slugTaken }),
  };
}

/** Returns whether the links and pages can be saved. */
export function areRowsSound({ links, pages }: Pick<Site, 'links' | 'pages'>): boolean {
  const problems = [...links.map(linkProblems), ...pages.map((page) => pageProblems(page, pages))];
  return problems.every((found) => Object.keys(found).length === 0);
}

/** Returns the settings for a preview: without links and pages that aren't complete yet, and without the pages' texts. */
export function previewable(site: Site): Site {
  const isComplete = (problems: object) => Object.keys(problems).length === 0;
  return {
    ...site,
    links: site.links.filter((link) => isComplete(linkProblems(link))),
    pages: site.pages
      .filter((page) => isComplete(pageProblems(page, site.pages)))
      .map((page) => ({ ...page, text: '' })),
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
