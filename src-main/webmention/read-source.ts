import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { createReadingThread } from '../http/strangers/reading-thread.ts';
import type { FetchedPage, WebPage } from '../http/strangers/web-page.ts';
import { FetchError, type FetchedResponse, type GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Log } from '../platform/log.ts';
import type { MentionAuthor, SourceFacts } from './mention.ts';
import type { PageJobs } from './page-worker.ts';
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
      /** It took all the time that a page may have, of the one thread that reads all: one more try must do. */
      readonly wasSlow?: true;
    };

export interface SourceReader {
  /** Fetches and reads a source (Webmention 3.2.2): whether it links the target, and what it says. Never rejects. */
  read(source: string, target: string): Promise<Reading>;
  /**
   * Reads any page of a stranger's off the server's own thread.
   * @throws PorchlightError as ReadingThread.run does.
   */
  readPage(page: FetchedPage): Promise<WebPage>;
  close(): Promise<void>;
}

export interface SourceReaderOptions {
  readonly fetch: GuardedFetch;
  readonly log: Log;
  /** How long the thread may work on one page. */
  readonly deadlineMs?: number;
}

const accept =
  'text/html, application/xhtml+xml;q=0.9, application/mf2+json;q=0.8, application/json;q=0.7, text/plain;q=0.6, */*;q=0.1';
const sourceLimits = { accept, maxRedirects: 10, maxBytes: 2 * 1024 * 1024, timeoutMs: 10_000 };
const authorLimits = { accept: 'text/html, */*;q=0.1', maxBytes: 1024 * 1024, timeoutMs: 5000 };

// Beside this file: as a source, or (where all is bundled) as an entry of its own.
const program = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? 'page-worker.ts' : 'page-worker.js',
);

/** Makes the reader of sources. It fetches here and reads on a thread of its own. */
export function createSourceReader({ fetch, log, ...limits }: SourceReaderOptions): SourceReader {
  const thread = createReadingThread<PageJobs>({ file: program, ...limits });

  async function read(source: string, target: string): Promise<Reading> {
    try {
      const answer = await fetch(source, sourceLimits);
      if (answer.status < 200 || answer.status > 299) return unread(answer.status);
      const reading = await thread.run('readSource', { page: pageOf(answer), source, target });
      switch (reading.kind) {
        case 'status':
          return unread(reading.status);
        case 'no-link':
          return reading;
        case 'wrong-type':
          return failed(
            'This kind of file can not be read: a page of HTML, JSON or text is expected.',
            false,
          );
        case 'links': {
          const { authorPage, facts, ...rest } = reading;
          const author = authorPage === undefined ? undefined : await authorAt(authorPage);
          return { ...rest, url: answer.url, facts: author ? { ...facts, author } : facts };
        }
      }
    } catch (error) {
      return failureOf(error, source);
    }
  }

  /** Asks an author's page; one that can not be read says nothing, and spoils nothing. */
  async function authorAt(address: string): Promise<MentionAuthor | undefined> {
    try {
      const answer = await fetch(address, authorLimits);
      if (answer.status !== 200) return undefined;
      return await thread.run('readAuthor', { page: pageOf(answer), address });
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
    log.warn({ err: error, source }, 'A source could not be read.');
    if (!(error instanceof PorchlightError)) return failed('This page can not be read.', false);
    // Time runs on where the computer has other things to do: a large page may be read when it is less busy.
    if (error.code === 'page_too_slow') return { ...failed(error.message, true), wasSlow: true };
    return failed(error.message, error.code === 'reading_unavailable');
  }

  return {
    read,
    readPage: async (page) => {
      const told = await thread.run('readPage', page);
      // What crosses from a thread has lost that it inherits nothing.
      return { ...told, rels: bare(told.rels), linkRels: bare(told.linkRels) };
    },
    close: () => thread.close(),
  };
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
  return failed(`The other server answered ${status}, and no page.`, mayPass);
}

function failed(words: string, mayPass: boolean) {
  return { kind: 'failed' as const, words, mayPass };
}

function bare<T extends object>(value: T): T {
  return Object.assign(Object.create(null) as T, value);
}
