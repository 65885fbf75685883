import { join } from 'node:path';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed, Maybe, orNull } from '../contract/shapes.ts';
import type { FetchedPage } from '../untrusted/pages/fetched-page.ts';
import { createFetchOnce, type FetchOnce, type FetchOnceOptions } from '../pictures/fetch-once.ts';
import { pictureName } from '../pictures/waiting-pictures.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import { CitedPage } from '../post/cited-page.ts';
import { boundedCache } from '../storage/bounded-cache.ts';
import { openDocument } from '../storage/document.ts';

/** The stored data about a page that a post responds to. `failed`: why the page couldn't be read. */
const Cited = closed({ url: Type.String(), page: orNull(CitedPage), failed: Maybe() });
export const citedFormat = { schema: Cited, format: 1, initial: { url: '', page: null, failed: null } };

/** A fetched page, in the form in which it is sent to the parsing thread. */
type Fetched = Pick<FetchedPage, 'url' | 'linkHeader'> & {
  readonly contentType: string | null;
  readonly body: Uint8Array;
};

export interface CitedPagesDeps extends Pick<FetchOnceOptions, 'now' | 'log' | 'onRecovered'> {
  /** The folder in which the data about cited pages is stored. */
  readonly dir: string;
  readonly fetch: GuardedFetch;
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

const limits = {
  ...{ maxBytes: 2 * 1024 * 1024, timeoutMs: 10_000, mostListed: 2000 },
  places: { all: 4, ofSite: 2 },
};
const accept = 'text/html, application/xhtml+xml;q=0.9';
/** How long a preview waits for another server, in ms. */
const previewMs = 4000;
const openDocuments = 200;
const mostFailed = 1000;

/** Creates the store of cited pages, which fetches each page with the guarded fetch (see createGuardedFetch). */
export function createCitedPages({ dir, fetch, read, changed, ...rest }: CitedPagesDeps): CitedPages {
  const notes = boundedCache(openDocuments, (name) =>
    openDocument({
      file: join(dir, name.slice(0, 2), `${name}.json`),
      ...citedFormat,
      onRecovered: rest.onRecovered,
    }),
  );
  /** The pages that couldn't be read for a preview. They aren't fetched again while the owner types. */
  const unread = new Set<string>();

  const known = (url: string) =>
    notes.use(pictureName(url), ({ data }) => (data.url === url ? data : undefined));

  async function note(
    url: string,
    outcome: { page: CitedPage | null; failed: string | null },
  ): Promise<void> {
    await notes.use(pictureName(url), (document) =>
      document.update((draft) => void Object.assign(draft, { url, ...outcome })),
    );
    changed?.();
  }

  async function keep(url: string, answer: Awaited<ReturnType<GuardedFetch>>): Promise<void> {
    const { headers, body } = answer;
    const page = await read({
      ...{ url: answer.url, linkHeader: headers.get('link'), contentType: headers.get('content-type'), body },
    });
    if (page === undefined)
      throw new PorchlightError('page_unreadable', 'The page says nothing about itself.', 422);
    await note(url, { page, failed: null });
  }

  const once = createFetchOnce({
    ...{ ...rest, ...limits, fetch, accept },
    file: join(dir, 'waiting.json'),
    schedule: 'postPicture',
    has: async (url) => (await known(url)) !== undefined,
    keep: ({ url }, answer) => keep(url, answer),
    givenUp: (url, failed) => note(url, { page: null, failed }),
  });

  async function readOne(url: string): Promise<void> {
    if (unread.has(url) || (await known(url)) !== undefined) return;
    try {
      const answer = await fetch(url, { accept, maxBytes: limits.maxBytes, timeoutMs: previewMs });
      if (answer.status !== 200) throw new PorchlightError('bad_status', `Status ${answer.status}`);
      await keep(url, answer);
    } catch {
      if (unread.size >= mostFailed) unread.clear();
      unread.add(url);
    }
  }

  return {
    ...once,
    of: async (url) => (await known(url))?.page ?? undefined,
    async readNow(urls) {
      await Promise.all(urls.map(readOne));
    },
  };
}
