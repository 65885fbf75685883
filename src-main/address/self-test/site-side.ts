import { PorchlightError } from '../../contract/error.ts';
import type { Finding, LinkTag } from '../../contract/reach.ts';
import {
  fetchedPage,
  type FetchedPage,
  type Rels,
  relsInHeader,
} from '../../untrusted/pages/fetched-page.ts';
import type { WebPage } from '../../untrusted/pages/web-page.ts';
import { sameUrl } from '../../platform/web-address.ts';
import type { FetchedResponse, GuardedFetch } from '../../platform/guarded-fetch.ts';
import { linkTagsOf } from '../public-address.ts';
import { clockIn, type ClockReading } from './clock-finding.ts';

type FoundRels = Pick<WebPage, 'rels' | 'linkRels'>;

export interface SiteQuestion {
  readonly me: string | null;
  readonly base: string;
  readonly fetch: GuardedFetch;
  /** Returns the URLs that a page links to with the link relations in `names`. Reads the page off the main thread. */
  readonly readRels: (page: FetchedPage, names: readonly string[]) => Promise<FoundRels>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/**
 * For each link relation: the programs that use it, and what they find through it. Titles such as “Apps find your
 * sign-in” contain both.
 */
const purposes: Record<string, readonly [who: string, what: string]> = {
  'indieauth-metadata': ['Apps', 'your sign-in'],
  authorization_endpoint: ['Older apps', 'your sign-in'],
  token_endpoint: ['Older apps', 'where to get access'],
  micropub: ['Apps', 'where to post'],
  webmention: ['Other sites', 'where to send mentions'],
};

const timeoutMs = 8000;
const accept = 'text/html';

/**
 * Checks the owner's own page: whether the page responds, and which endpoints it advertises to apps and other sites.
 * `clock`: a reading of the web host's clock; null if there is none.
 */
export async function checkOwnPage(
  question: SiteQuestion,
): Promise<{ findings: readonly Finding[]; clock: ClockReading | null }> {
  const { me, base, fetch, readRels, now, signal } = question;
  const site = { id: 'site', area: 'site', title: 'Porchlight can’t read your website' } as const;
  if (me === null) {
    const detail = 'Porchlight doesn’t know your website yet.';
    const fix = 'Enter your website’s address in the set-up or in the settings.';
    return { findings: [{ ...site, level: 'fail', detail, fix }], clock: null };
  }
  try {
    const page = await fetch(me, { accept, timeoutMs, signal });
    // If this server itself serves the page, the response contains this computer's own time, which can't reveal a wrong
    // clock.
    const clock = new URL(page.url).origin === base ? null : clockIn(page.headers, now());
    if (page.status !== 200)
      throw new PorchlightError('bad_status', `${me} answers with status ${page.status}.`);
    const head = await fetch(me, { method: 'HEAD', accept, timeoutMs, signal }).catch(() => null);
    const found = await readRels(
      fetchedPage(page),
      linkTagsOf(base).map(({ rel }) => rel),
    );
    return { findings: [answers(site, me, page), ...linkFindings(base, found, head)], clock };
  } catch (error) {
    if (!(error instanceof PorchlightError)) throw error;
    const fix = 'Check that the address is right and that your website is online, then check again.';
    return { findings: [{ ...site, level: 'fail', detail: error.message, fix }], clock: null };
  }
}

function answers(site: Pick<Finding, 'id' | 'area' | 'title'>, me: string, page: FetchedResponse): Finding {
  if (sameUrl(page.url, me))
    return { ...site, level: 'pass', title: 'Porchlight can read your website', detail: `${me} answers.` };
  return {
    ...site,
    level: 'warning',
    title: 'Your website redirects to another address',
    detail: `${me} redirects to ${page.url}. Some apps may then take that for your address.`,
    fix: `Enter ${page.url} as your website, or remove the redirect from ${me}.`,
  };
}

function linkFindings(base: string, { linkRels, rels }: FoundRels, head: FetchedResponse | null): Finding[] {
  const inHead = head?.status === 200 ? relsInHeader(head.headers.get('link'), head.url) : {};
  return linkTagsOf(base).map((tag) => {
    // A webmention link can also be in the body of the page. Senders use the first such link (Webmention 3.1.2).
    const found = (tag.rel === 'webmention' ? rels : linkRels)[tag.rel] ?? [];
    return headTrouble(tag, inHead) ?? findingOf(tag, found);
  });
}

/** Returns the finding about the first link with a relation. Clients use only that link (IndieAuth 4.1). */
function findingOf(tag: LinkTag, found: readonly string[]): Finding {
  const { rel, href } = tag;
  const finding = blank(tag);
  const [first] = found;
  const paste = `Put <link rel="${rel}" href="${href}"> into the head of your home page.`;
  if (first === undefined)
    return { ...finding, level: 'fail', detail: `Your home page has no ${rel} link.`, fix: paste };
  if (sameUrl(first, href))
    return { ...finding, level: 'pass', title: goodTitle(rel), detail: `Your home page links to ${href}.` };
  const detail = found.some((url) => sameUrl(url, href))
    ? `Your home page links to this Porchlight, but ${first} comes first, and only the first link counts.`
    : `Your home page links to ${first}, which isn’t this Porchlight.`;
  return {
    ...finding,
    level: 'fail',
    detail,
    fix: found.length > 1 ? `Remove the other ${rel} link.` : `Remove that link. ${paste}`,
  };
}

/** Returns a failure if a Link header names a URL other than `tag.href`. Some programs read only the headers. */
function headTrouble(tag: LinkTag, inHead: Rels): Finding | null {
  const first = inHead[tag.rel]?.[0];
  if (first === undefined || sameUrl(first, tag.href)) return null;
  return {
    ...blank(tag),
    level: 'fail',
    detail: `A Link header of your web server names ${first}. Apps read headers before the page.`,
    fix: `Remove that Link header (rel="${tag.rel}") from your web server, or change it to ${tag.href}.`,
  };
}

function blank({ rel }: LinkTag): Pick<Finding, 'id' | 'area' | 'title'> {
  const [who, what] = purposes[rel] ?? ['Apps', rel];
  return { id: `link.${rel}`, area: 'site', title: `${who} can’t find ${what}` };
}

function goodTitle(rel: string): string {
  const [who, what] = purposes[rel] ?? ['Apps', rel];
  return `${who} find ${what}`;
}
