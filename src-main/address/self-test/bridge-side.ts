import { PorchlightError } from '../../contract/error.ts';
import { bridgyFed } from '../../contract/posts.ts';
import type { BridgeCheck, Finding } from '../../contract/reach.ts';
import type { Profile } from '../../contract/settings.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import { bridgedPaths } from '../../platform/mailbox-protocol.ts';
import { decoded } from '../../posts/files/addresses.ts';
import { fetchedPage, type FetchedPage } from '../../untrusted/pages/fetched-page.ts';
import { type CheckWords, findingOf } from './check.ts';

export interface BridgeQuestion {
  /** The address of the site on which posts appear. */
  readonly home: string;
  /** What the home page of the built-in site says about the owner; null if the posts appear on another site. */
  readonly own: { readonly name: string; readonly hasPhoto: boolean } | null;
  /** Returns the name of the redirects file in the folder of the owner's site; undefined if there is none. */
  readonly redirectsFile: () => Promise<string | undefined>;
  readonly fetch: GuardedFetch;
  /** Reads the profile in a page's h-card, off the main thread; null if the page has none. */
  readonly readProfile: (page: FetchedPage) => Promise<Omit<Profile, 'me'> | null>;
  readonly signal: AbortSignal;
}

const timeoutMs = 8000;

/**
 * Checks what Bridgy Fed needs of the site on which the owner's posts appear: a public address, an h-card with name and
 * photo on the home page, and the redirects of `bridgedPaths`. The built-in site has the redirects.
 */
export async function checkBridge(question: BridgeQuestion): Promise<BridgeCheck> {
  const { own } = question;
  const home = new URL('/', question.home);
  const site = home.host;
  const address = findingOf(addressWords, 'address', home.protocol === 'https:' ? 'pass' : 'fail', { site });
  if (own) {
    const card = cardFindings(own.name, own.hasPhoto, 'computer');
    return { site, findings: [address, ...card, findingOf(redirectWords, 'site', 'pass', {})], lines: null };
  }
  const file = await question.redirectsFile();
  const [card, redirect] = await Promise.all([
    readCard(home, question),
    redirectVerdict(home, file, question),
  ]);
  const lines = bridgedPaths.map((path) => `${path} ${new URL(path, bridgyFed.uid).href} 301`).join('\n');
  return {
    site,
    findings: [address, ...card, findingOf(redirectWords, 'site', redirect, { file })],
    lines: redirect === 'missing' ? lines : null,
  };
}

const addressWords: CheckWords<'pass' | 'fail'> = {
  id: 'bridge.address',
  title: 'Bridgy Fed can reach your site',
  problem: 'Bridgy Fed can’t reach your site',
  words: {
    pass: { detail: 'Your site is at {site}.' },
    fail: {
      detail: 'Your site has no public address that starts with https://.',
      fix: 'Choose how the web can reach you, in the settings.',
    },
  },
};

const nameWords: CheckWords<'pass' | 'missing' | 'noCard' | 'unread'> = {
  id: 'bridge.name',
  title: 'Your home page has your name',
  problem: 'Your home page doesn’t say your name',
  words: {
    pass: { detail: 'Your account will be called {name}.' },
    missing: { detail: 'Your account would have no name.', fix: 'Add your name to your profile.' },
    noCard: {
      detail: 'Your home page has no h-card with a name.',
      fix: 'Add an h-card with your name (p-name), your address (u-url) and your photo (u-photo).',
    },
    unread: { detail: '{message}', fix: 'Check that your site is online, then check again.' },
  },
};

const photoWords: CheckWords<'pass' | 'missing' | 'noPhoto'> = {
  id: 'bridge.photo',
  title: 'Your home page has your photo',
  problem: 'Your home page has no photo of you',
  words: {
    pass: { detail: 'Your account will have this photo.' },
    missing: {
      level: 'warning',
      detail: 'Your account would have no photo.',
      fix: 'Add a photo to your profile.',
    },
    noPhoto: {
      level: 'warning',
      detail: 'Your account would have no photo.',
      fix: 'Add a photo (u-photo) to the h-card of your home page.',
    },
  },
};

const redirectWords: CheckWords<'pass' | 'missing' | 'written' | 'unread'> = {
  id: 'bridge.redirect',
  title: 'Your site leads the fediverse to Bridgy Fed',
  problem: 'Your site doesn’t lead the fediverse to Bridgy Fed yet',
  words: {
    pass: { detail: 'People can find your account by the name of your site.' },
    missing: {
      detail: 'Without two redirects, people find your account only under web.brid.gy.',
      fix: 'Paste the lines below into the redirects file of your web host.',
    },
    written: {
      level: 'warning',
      detail: 'Porchlight adds two lines to {file}. They take effect once your site is built again.',
      fix: 'Check again in a few minutes.',
    },
    unread: {
      level: 'warning',
      detail: 'Your site didn’t answer.',
      fix: 'Check that your site is online, then check again.',
    },
  },
};

function cardFindings(name: string, hasPhoto: boolean, area: 'site' | 'computer'): Finding[] {
  const isOwn = area === 'computer';
  return [
    findingOf(nameWords, area, name !== '' ? 'pass' : isOwn ? 'missing' : 'noCard', { name }),
    findingOf(photoWords, area, hasPhoto ? 'pass' : isOwn ? 'missing' : 'noPhoto', {}),
  ];
}

/** Reads the h-card on the home page of the owner's own site. */
async function readCard({ href }: URL, { fetch, readProfile, signal }: BridgeQuestion): Promise<Finding[]> {
  try {
    const page = await fetch(href, { accept: 'text/html', timeoutMs, signal });
    if (page.status !== 200)
      throw new PorchlightError('bad_status', `${href} answers with status ${page.status}.`);
    const found = await readProfile(fetchedPage(page));
    return cardFindings(found?.name ?? '', (found?.photo ?? '') !== '', 'site');
  } catch (error) {
    if (!(error instanceof PorchlightError)) throw error;
    return [findingOf(nameWords, 'site', 'unread', { message: error.message })];
  }
}

/** Returns whether the owner's own site redirects every path in `bridgedPaths` to Bridgy Fed, with the query. */
async function redirectVerdict(
  home: URL,
  file: string | undefined,
  { fetch, signal }: BridgeQuestion,
): Promise<keyof typeof redirectWords.words> {
  const query = `?resource=acct:${home.host}@${home.host}`;
  try {
    for (const path of bridgedPaths) {
      const { href } = new URL(path + query, home);
      const { status, headers } = await fetch(href, { maxRedirects: 0, timeoutMs, signal });
      const location = headers.get('location') ?? '';
      // Hosts escape a query in different ways.
      const isThere =
        [301, 302, 307, 308].includes(status) &&
        URL.canParse(location, href) &&
        decoded(new URL(location, href).href) === decoded(new URL(path + query, bridgyFed.uid).href);
      if (!isThere) return file === undefined ? 'missing' : 'written';
    }
    return 'pass';
  } catch (error) {
    if (!(error instanceof PorchlightError)) throw error;
    return 'unread';
  }
}
