import { PorchlightError } from '../../contract/error.ts';
import type { Finding, LinkTag } from '../../contract/reach.ts';
import { fetchedPage, type FetchedPage, relsInHeader } from '../../untrusted/pages/fetched-page.ts';
import type { WebPage } from '../../untrusted/pages/web-page.ts';
import { sameUrl } from '../../platform/web-address.ts';
import type { FetchedResponse, GuardedFetch } from '../../platform/guarded-fetch.ts';
import { linkTagsOf } from '../public-address.ts';
import { type CheckWords, findingOf } from './check.ts';
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
  if (me === null) return { findings: [findingOf(siteWords, 'site', 'unknown', {})], clock: null };
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
    const site = findingOf(siteWords, 'site', sameUrl(page.url, me) ? 'pass' : 'redirects', {
      me,
      url: page.url,
    });
    return { findings: [site, ...linkFindings(base, found, head)], clock };
  } catch (error) {
    if (!(error instanceof PorchlightError)) throw error;
    return { findings: [findingOf(siteWords, 'site', 'unread', { message: error.message })], clock: null };
  }
}

const siteWords: CheckWords<'pass' | 'unknown' | 'unread' | 'redirects'> = {
  id: 'site',
  title: 'Porchlight can read your home page',
  problem: 'Porchlight can’t read your home page',
  words: {
    pass: { detail: '{me} answers.' },
    unknown: {
      detail: 'Porchlight doesn’t know your domain yet.',
      fix: 'Enter your domain in the set-up or in the settings.',
    },
    unread: {
      detail: '{message}',
      fix: 'Check that the address is right and that your home page is online, then check again.',
    },
    redirects: {
      level: 'warning',
      title: 'Your home page redirects to another address',
      detail: '{me} redirects to {url}. Some apps may then take that for your address.',
      fix: 'Enter {url} as your domain, or remove the redirect from {me}.',
    },
  },
};

function linkFindings(base: string, { linkRels, rels }: FoundRels, head: FetchedResponse | null): Finding[] {
  const inHead = head?.status === 200 ? relsInHeader(head.headers.get('link'), head.url) : {};
  return linkTagsOf(base).map((tag) => {
    const { rel, href } = tag;
    // A webmention link can also be in the body of the page. Senders use the first such link (Webmention 3.1.2).
    const found = (rel === 'webmention' ? rels : linkRels)[rel] ?? [];
    const [who, what] = purposes[rel] ?? ['Apps', rel];
    const words = {
      id: `link.${rel}`,
      title: `${who} find ${what}`,
      problem: `${who} can’t find ${what}`,
      words: linkWords,
    };
    const facts = { rel, href, first: found[0], header: inHead[rel]?.[0] };
    return findingOf(words, 'site', linkVerdict(tag, found, facts.header), facts);
  });
}

const paste = 'Put <link rel="{rel}" href="{href}"> into the head of your home page.';
const removeOther = 'Remove the other {rel} link.';
const otherPlace = 'Your home page links to {first}, which isn’t this Porchlight.';

const linkWords = {
  pass: { detail: 'Your home page links to {href}.' },
  // Some programs read only the headers.
  header: {
    detail: 'A Link header of your web server names {header}. Apps read headers before the page.',
    fix: 'Remove that Link header (rel="{rel}") from your web server, or change it to {href}.',
  },
  missing: { detail: 'Your home page has no {rel} link.', fix: paste },
  notFirst: {
    detail:
      'Your home page links to this Porchlight, but {first} comes first, and only the first link counts.',
    fix: removeOther,
  },
  other: { detail: otherPlace, fix: `Remove that link. ${paste}` },
  others: { detail: otherPlace, fix: removeOther },
};

/** Returns the verdict on the links with a relation. Clients use only the first one (IndieAuth 4.1). */
function linkVerdict({ href }: LinkTag, found: readonly string[], header?: string): keyof typeof linkWords {
  if (header !== undefined && !sameUrl(header, href)) return 'header';
  const [first] = found;
  if (first === undefined) return 'missing';
  if (sameUrl(first, href)) return 'pass';
  if (found.some((url) => sameUrl(url, href))) return 'notFirst';
  return found.length > 1 ? 'others' : 'other';
}
