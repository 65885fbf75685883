import path from 'node:path';
import { createReadingPool, theOwner } from '../http/strangers/reading-pool.ts';
import type { FetchedPage } from '../http/strangers/fetched-page.ts';
import type { ReadClient } from '../indieauth/client-directory.ts';
import type { PostAtHome } from '../site/folder/live-mark.ts';
import { createDocumentReading } from './document-reading.ts';
import type { DocumentJobs } from './document-worker.ts';
import type { PageJobs } from './page-worker.ts';
import type { Clock } from '../platform/clock.ts';
import type { SourcePage } from '../webmention/source/source-page.ts';
import type { PageReading } from '../webmention/page-reading.ts';

// The programs of the threads are in the same folder as this file, both in the source and in the bundle.
const programFile = (name: string) =>
  path.join(import.meta.dirname, name + path.extname(import.meta.filename));
const pageProgram = programFile('page-worker');
const documentProgram = programFile('document-worker');

/**
 * The budgets for reading pages, in ms of reading time. A host's budget for mentions is larger than its budget for
 * pages that a person waits for, because a site that moves to Webmention may send a thousand mentions in an hour.
 */
const clientBudget = {
  visitor: { burst: 5000, perMinute: 5000 },
  host: { burst: 20_000, perMinute: 10_000 },
};
const mentionBudget = {
  visitor: { burst: 5000, perMinute: 5000 },
  host: { burst: 60_000, perMinute: 30_000 },
};
/** Documents are the owner's, so no visitor or host pays for them. */
const noBudget = { visitor: { burst: 1, perMinute: 1 }, host: { burst: 1, perMinute: 1 } };

/**
 * Opens the part of the service that reads other people's pages and files, never on the server's own thread. It has one
 * pool of threads for pages that a person waits for, another for mentions, and a third for documents (files of the
 * owner's folders and archives, and long Markdown). So neither a flood of mentions nor a hostile file can delay a
 * sign-in. Threads start when the first page or file arrives and end when they are idle.
 */
export function openReading({
  clock,
  deadlineMs = 3000,
  refused,
}: {
  readonly clock: Clock;
  readonly deadlineMs?: number;
  /** Called when a page that a person is waiting for isn't read because a time budget is used up. */
  readonly refused?: () => void;
}) {
  const common = { file: pageProgram, deadlineMs, clock };
  const awaited = createReadingPool<PageJobs>({
    ...{ ...common, budget: clientBudget, refused },
    mostWaiting: 64, // each waiting page takes up to 512 KB
  });
  const mentions = createReadingPool<PageJobs>({ ...common, budget: mentionBudget, mostWaiting: 200 });
  const documents = createReadingPool<DocumentJobs>({
    ...{ ...common, file: documentProgram, budget: noBudget, mostWaiting: 256, patience: 20 }, // a document takes up to 1 MB
  });
  const client: ReadClient = (question, cause) =>
    awaited.run('readClient', question, cause, question.page.text.length);
  return {
    client,
    /** Returns the profile of the person whom a page represents. */
    profile: (page: FetchedPage) => awaited.run('readProfile', page, theOwner, page.text.length),
    /** Returns the title, author and text of a page that a post responds to. */
    cited: (page: SourcePage) => awaited.run('readCited', page, theOwner, page.body.length),
    /**
     * Returns whether a page of the owner's site shows the current version of a post, and whether the page contains the
     * post's URL.
     */
    isLive: (page: string, post: PostAtHome) => awaited.run('isLive', { page, post }, theOwner, page.length),
    /** Returns the URLs that a page links to with the rel values in `names`. */
    rels: (page: FetchedPage, names: readonly string[]) =>
      awaited.run('readRels', { page, names }, theOwner, page.text.length),
    mentions: {
      source: (question) =>
        mentions.run('readSource', question, { address: question.source }, question.page.body.length),
      author: (question, source) =>
        mentions.run('readAuthor', question, { address: source }, question.page.body.length),
      endpoint: (page) => mentions.run('findEndpoint', page, { address: page.url }, page.body.length),
    } satisfies PageReading,
    documents: createDocumentReading(documents),
    async close(): Promise<void> {
      await Promise.all([awaited, mentions, documents].map((pool) => pool.close()));
    },
  };
}

export type PageReaders = ReturnType<typeof openReading>;
