import { PorchlightError } from '../../contract/error.ts';
import { RetryLater } from '../../http/errors.ts';
import { type FetchedResponse, FetchError, type GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { Log } from '../../platform/log.ts';
import type { MentionAuthor, SourceFacts } from '../mention.ts';
import type { SourcePage } from './source/source-page.ts';
import type { AuthorQuestion, SourceQuestion, SourceReading } from './source/source-reading.ts';

/** The result of reading a source. */
export type SourceResult =
  | {
      readonly kind: 'links';
      readonly facts: SourceFacts;
      /** The final URL, after redirects. */
      readonly url: string;
      /** The page's title, if it has one. */
      readonly title?: string;
      /** Up to 2,000 characters of the source's content or, if it has no content, of the text around the link. */
      readonly text: string;
    }
  | { readonly kind: 'no-link' }
  /** The source was deleted: it responded with 410, or contains a meta element with that status. */
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'failed';
      /** A human-readable message that says why the source could not be read. */
      readonly words: string;
      /** Whether another attempt may succeed. */
      readonly mayPass: boolean;
      /**
       * Set if reading the page took too long. Such a page is tried only once more, because other pages need the
       * reading threads too.
       */
      readonly wasSlow?: true;
    };

/**
 * Fetches and reads a source (Webmention 3.2.2). Returns whether the source links to the target and, if so, the facts
 * about the mention. Never rejects. `isFollowed`: whether another source on the same host is read next.
 */
export type ReadSource = (
  source: string,
  target: string,
  isFollowed?: () => boolean,
) => Promise<SourceResult>;

const accept =
  'text/html, application/xhtml+xml;q=0.9, application/mf2+json;q=0.8, application/json;q=0.7, text/plain;q=0.6, */*;q=0.1';
const sourceLimits = { accept, maxRedirects: 10, maxBytes: 2 * 1024 * 1024, timeoutMs: 10_000 };
const authorLimits = { accept: 'text/html, */*;q=0.1', maxBytes: 1024 * 1024, timeoutMs: 5000 };

/** Returns what fetches sources on this thread, and parses them on another thread. */
export function sourceReader(fetch: GuardedFetch, pages: PageReading, log: Log): ReadSource {
  /** Reads an author's page. A failure to read this page doesn't affect the mention. */
  async function authorAt(address: string, source: string): Promise<MentionAuthor | undefined> {
    try {
      const answer = await fetch(address, authorLimits);
      if (answer.status !== 200) return undefined;
      return await pages.author({ page: pageOf(answer), address }, source);
    } catch (error) {
      log.debug({ err: error, address }, 'The page of an author could not be read.');
      return undefined;
    }
  }

  function failureOf(error: unknown, source: string): SourceResult {
    if (error instanceof FetchError) {
      log.debug({ err: error, source }, 'A source could not be fetched.');
      // A source at a forbidden address is retried like one that doesn't respond. Otherwise, the mention's status would
      // reveal to senders that the address is forbidden.
      return failed(error.message, error.isUnreachable);
    }
    // Pages of a site that has used up its reading time are not logged, because there may be many.
    if (error instanceof RetryLater) return failed(error.message, true);
    log.warn({ err: error, source }, 'A source could not be read.');
    if (!(error instanceof PorchlightError)) return failed('This page could not be read.', false);
    // A page that took too long to read may be readable later, when the computer is less busy.
    if (error.code === 'page_too_slow') return { ...failed(error.message, true), wasSlow: true };
    return failed(error.message, error.code === 'reading_unavailable');
  }

  return async (source, target, isFollowed) => {
    try {
      const answer = await fetch(source, { ...sourceLimits, ...(isFollowed && { isFollowed }) });
      if (answer.status < 200 || answer.status > 299) return unread(answer.status);
      const reading = await pages.source({ page: pageOf(answer), source, target });
      switch (reading.kind) {
        case 'status':
          return unread(reading.status);
        case 'no-link':
          return reading;
        case 'wrong-type':
          return failed('The source page must be HTML, JSON or plain text.', false);
        case 'links': {
          const { authorPage, facts, ...rest } = reading;
          const author = authorPage === undefined ? undefined : await authorAt(authorPage, source);
          return { ...rest, url: answer.url, facts: author ? { ...facts, author } : facts };
        }
      }
    } catch (error) {
      return failureOf(error, source);
    }
  };
}

function pageOf(answer: FetchedResponse): SourcePage {
  const { url, headers, body } = answer;
  return { url, contentType: headers.get('content-type'), linkHeader: headers.get('link'), body };
}

/**
 * Returns the result for a source with an error status. The status comes from the response, or from a meta element in
 * the page. Timeouts, rate limits and server errors are temporary.
 */
function unread(status: number): SourceResult {
  if (status === 410) return { kind: 'gone' };
  if (status === 404) return failed('This page was not found (404).', false);
  const mayPass = status >= 500 || [408, 425, 429].includes(status);
  return failed(`The other server answered with status ${status}.`, mayPass);
}

function failed(words: string, mayPass: boolean) {
  return { kind: 'failed' as const, words, mayPass };
}

/** Reads strangers' pages on a separate thread. Each method may throw the errors of ReadingPool.run. */
export interface PageReading {
  source(question: SourceQuestion): Promise<SourceReading>;
  /**
   * Reads the author's own page. `source`: the page that named the author. The reading time is charged to the site of
   * `source`.
   */
  author(question: AuthorQuestion, source: string): Promise<MentionAuthor | undefined>;
  /** Returns the webmention endpoint that a page declares; undefined if it declares none. */
  endpoint(page: Pick<SourcePage, 'url' | 'contentType' | 'body'>): Promise<string | undefined>;
}
