import type { Handlers, Params, Result } from '../contract/contract.ts';
import { invalidRequest } from '../http/errors.ts';
import type { Settings } from '../contract/settings.ts';
import { isTimeZone } from '../posts/date.ts';
import { cssProblem } from './css-check.ts';
import { reservedSlugs } from './own-pages.ts';

/** Creates the handlers for the window's calls about the built-in site. */
export function siteHandlers(
  settings: () => Settings['site'],
  preview: (site: Settings['site'], page: Params<'site.preview'>['page']) => Promise<Result<'site.preview'>>,
) {
  return {
    'site.preview': ({ site, page }) => preview({ ...settings(), ...checkSiteSettings(site) }, page),
  } satisfies Partial<Handlers>;
}

type SitePatch = Partial<Settings['site']>;

/**
 * Checks the site's settings, and returns them with complete URLs.
 * @throws PorchlightError `invalid_request` if a value is not valid
 */
export function checkSiteSettings(site: SitePatch): SitePatch {
  const { photo = '', timeZone = '', replyEmail = '', links, pages = [], css = '' } = site;
  if (photo !== '' && !isWebAddress(photo)) throw invalidRequest('The photo’s address isn’t a web address.');
  if (timeZone !== '' && !isTimeZone(timeZone))
    throw invalidRequest(`“${timeZone}” isn’t a time zone. Use a name such as Europe/Paris.`);
  if (replyEmail !== '' && !/^[^\s@<>"]+@[^\s@<>"]+$/.test(replyEmail))
    throw invalidRequest(`“${replyEmail}” isn’t an email address.`);
  checkPages(pages);
  const problem = cssProblem(css);
  if (problem !== undefined) throw invalidRequest(problem);
  return links === undefined ? site : { ...site, links: links.map(checkedLink) };
}

function checkedLink({ label, url }: Settings['site']['links'][number]) {
  if (isWebAddress(url)) return { label, url: new URL(url).href };
  throw invalidRequest(`The link “${label}” needs a web address that starts with https://.`);
}

function checkPages(pages: Settings['site']['pages']): void {
  const seen = new Set<string>();
  for (const { slug, title } of pages) {
    if (reservedSlugs.includes(slug))
      throw invalidRequest(
        `The page “${title}” can’t have the address /${slug}, because Porchlight uses it. Choose another address.`,
      );
    if (seen.has(slug))
      throw invalidRequest(`Two pages have the address /${slug}. Give each page its own address.`);
    seen.add(slug);
  }
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
