import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed, Maybe } from '../contract/shapes.ts';
import type { FetchedPage } from '../untrusted/pages/fetched-page.ts';
import { createFetchOnce, type FetchOnce, type FetchOnceOptions } from '../media/fetch-once.ts';
import { cleanCited } from '../mentions/clean-facts.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import { CitedPage } from '../posts/links.ts';
import { jsonIn } from '../storage/json-value.ts';
import { readRow, recordTable } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { isValid } from '../storage/schema-check.ts';
import type { Also } from '../storage/work/work-kind.ts';

/** More than the JSON of any cited page, in UTF-16 code units: most of it are the address and name of its author. */
const longestPage = 64 * 1024;

/**
 * The pages that posts respond to. `page`: see CitedPage, as JSON; null if the page couldn't be read, so that it isn't
 * fetched again.
 */
export const citedTable = recordTable({
  name: 'cited_pages',
  row: closed({ url: Type.String(), page: Maybe(longestPage) }),
  read({ page }): { page: CitedPage | null } | undefined {
    const read = page === null ? null : jsonIn(page);
    return read === null || isValid(CitedPage, read) ? { page: read } : undefined;
  },
  create: 'CREATE TABLE IF NOT EXISTS cited_pages (url TEXT PRIMARY KEY, page TEXT) STRICT',
  format: 1,
  cleaned(row) {
    const page = row.page === null ? undefined : jsonIn(row.page);
    return { ...row, page: isValid(CitedPage, page) ? JSON.stringify(cleanCited(page)) : null };
  },
});

/** A fetched page, in the form in which it is sent to the parsing thread. */
type Fetched = Pick<FetchedPage, 'url' | 'linkHeader'> & {
  readonly contentType: string | null;
  readonly body: Uint8Array;
};

export interface CitedPagesDeps extends Pick<FetchOnceOptions, 'work' | 'fetch'> {
  readonly records: Pick<Records, 'rows' | 'write'>;
  /** Parses another site's page on a separate thread. */
  readonly read: (page: Fetched) => Promise<CitedPage | undefined>;
  /** Called after data about a page has been stored. */
  readonly changed?: () => void;
}

/** Stores the title, author and text of the pages that posts respond to. Fetches each page once. */
export interface CitedPages extends FetchOnce {
  /** Returns the stored data about the page at a URL; undefined if there is none. */
  of(url: string): Promise<CitedPage | undefined>;
  /** Fetches pages that aren't stored yet, for use in a preview. Skips a page that can't be read. Never rejects. */
  readNow(urls: readonly string[]): Promise<void>;
}

const citedLimits = {
  maxBytes: 2 * 1024 * 1024,
  timeoutMs: 10_000,
  mostListed: 2000,
  places: { all: 4, ofSite: 2 },
};
const accept = 'text/html, application/xhtml+xml;q=0.9';
/** How long a preview waits for another server, in ms. */
const previewMs = 4000;
const mostFailed = 1000;

/** Creates the store of cited pages, which fetches each page with the guarded fetch (see createGuardedFetch). */
export function createCitedPages({ records, work, fetch, read, changed }: CitedPagesDeps): CitedPages {
  /** The pages that couldn't be read for a preview. They aren't fetched again while the owner types. */
  const unread = new Set<string>();

  /** Returns what is stored about a page: null if it couldn't be read, undefined if nothing is stored. */
  const known = (url: string): CitedPage | null | undefined =>
    records.rows((row) => readRow(citedTable, row).page, 'SELECT * FROM cited_pages WHERE url = ?', url)[0];

  /** Returns the change that stores what is known about a page. */
  const noting =
    (url: string, page: CitedPage | null): Also =>
    ({ run, after }) => {
      run('INSERT OR REPLACE INTO cited_pages (url, page) VALUES (?, ?)', url, page && JSON.stringify(page));
      if (changed) after(changed);
    };

  async function pageIn(answer: Awaited<ReturnType<GuardedFetch>>): Promise<CitedPage> {
    const { url, headers, body } = answer;
    const page = await read({
      url,
      linkHeader: headers.get('link'),
      contentType: headers.get('content-type'),
      body,
    });
    if (page === undefined)
      throw new PorchlightError('page_unreadable', 'The page says nothing about itself.', 422);
    return page;
  }

  const once = createFetchOnce({
    work,
    fetch,
    accept,
    ...citedLimits,
    kind: 'cited-page',
    schedule: 'postPicture',
    has: (url) => known(url) !== undefined,
    keep: async ({ url }, answer) => noting(url, await pageIn(answer)),
    gaveUp: (url) => noting(url, null),
  });

  async function readOne(url: string): Promise<void> {
    if (unread.has(url)) return;
    try {
      if (known(url) !== undefined) return;
      const answer = await fetch(url, { accept, maxBytes: citedLimits.maxBytes, timeoutMs: previewMs });
      if (answer.status !== 200) throw new PorchlightError('bad_status', `Status ${answer.status}`);
      const note = noting(url, await pageIn(answer));
      await records.write((transaction) => note(transaction, true, true));
    } catch {
      if (unread.size >= mostFailed) unread.clear();
      unread.add(url);
    }
  }

  return {
    ...once,
    of: async (url) => (await Promise.resolve(known(url))) ?? undefined,
    async readNow(urls) {
      await Promise.all(urls.map(readOne));
    },
  };
}
