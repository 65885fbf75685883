import { PorchlightError } from '../contract/error.ts';
import { RetryLater } from '../http/errors.ts';
import { FetchError, type FetchedResponse, type GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Log } from '../platform/log.ts';
import type { MentionAuthor, SourceFacts } from '../mentions/mention.ts';
import type { PageReading } from './page-reading.ts';
import type { SourcePage } from './source/source-page.ts';

/** What came of reading a source. */
export type Reading =
  | {
      readonly kind: 'links';
      readonly facts: SourceFacts;
      /** The final address, after redirects. */
      readonly url: string;
      /** The page's title, where it has one. */
      readonly title?: string;
      /** Up to 2,000 characters of what the source says, or of what stands around the link. */
      readonly text: string;
    }
  | { readonly kind: 'no-link' }
  /** The source says that it was deleted: 410, by its answer or by a meta element. */
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'failed';
      /** Why, for people. */
      readonly words: string;
      /** Another try may go better. */
      readonly mayPass: boolean;
      /** It took all the time that a page may have, of the threads that read all: one more try must do. */
      readonly wasSlow?: true;
    };

export interface SourceReader {
  /** Fetches and reads a source (Webmention 3.2.2): whether it links the target, and what it says. Never rejects. */
  read(source: string, target: string): Promise<Reading>;
}

export interface SourceReaderOptions {
  readonly fetch: GuardedFetch;
  readonly reading: PageReading;
  readonly log: Log;
}

const accept =
  'text/html, application/xhtml+xml;q=0.9, application/mf2+json;q=0.8, application/json;q=0.7, text/plain;q=0.6, */*;q=0.1';
const sourceLimits = { accept, maxRedirects: 10, maxBytes: 2 * 1024 * 1024, timeoutMs: 10_000 };
const authorLimits = { accept: 'text/html, */*;q=0.1', maxBytes: 1024 * 1024, timeoutMs: 5000 };

/** Makes the reader of sources. It fetches here, and has read elsewhere what it fetched. */
export function createSourceReader({ fetch, reading: pages, log }: SourceReaderOptions): SourceReader {
  async function read(source: string, target: string): Promise<Reading> {
    try {
      const answer = await fetch(source, sourceLimits);
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
  }

  /** Asks an author's page; one that can not be read says nothing, and spoils nothing. */
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

  function failureOf(error: unknown, source: string): Reading {
    if (error instanceof FetchError) {
      log.debug({ err: error, source }, 'A source could not be fetched.');
      // A refused address is tried again like a silent one, or its status would tell which of them it is.
      return failed(error.message, error.isUnreachable);
    }
    // A site that sends more than its share is told so by its turn, not by a line in the log for each page.
    if (error instanceof RetryLater) return failed(error.message, true);
    log.warn({ err: error, source }, 'A source could not be read.');
    if (!(error instanceof PorchlightError)) return failed('This page could not be read.', false);
    // Time runs on where the computer has other things to do: a large page may be read when it is less busy.
    if (error.code === 'page_too_slow') return { ...failed(error.message, true), wasSlow: true };
    return failed(error.message, error.code === 'reading_unavailable');
  }

  return { read };
}

function pageOf(answer: FetchedResponse): SourcePage {
  const { url, headers, body } = answer;
  return { url, contentType: headers.get('content-type'), linkHeader: headers.get('link'), body };
}

/** A source that answered with no page. Some answers are for now only: too many requests, a server at fault. */
function unread(status: number): Reading {
  if (status === 410) return { kind: 'gone' };
  if (status === 404) return failed('This page was not found (404).', false);
  const mayPass = status >= 500 || [408, 425, 429].includes(status);
  return failed(`The other server answered with status ${status}.`, mayPass);
}

function failed(words: string, mayPass: boolean) {
  return { kind: 'failed' as const, words, mayPass };
}
