import { kinds, type Kind } from '../untrusted/kinds.ts';
import { createPool, theOwner, type PoolOptions } from '../untrusted/pool.ts';
import type { Jobs } from '../untrusted/serve-jobs.ts';
import type { FetchedPage } from '../untrusted/pages/fetched-page.ts';
import type { ReadClient } from '../sign-in/client-directory.ts';
import type { PostAtHome } from '../posts/files/live-mark.ts';
import { createDocumentReading } from './document-reading.ts';
import type { DocumentJobs } from './document-jobs.ts';
import type { PageJobs } from './page-jobs.ts';
import type { Clock } from '../platform/clock.ts';
import type { SourcePage } from '../mentions/receiving/source/source-page.ts';
import type { PageReading } from '../mentions/receiving/page-reading.ts';

/**
 * Opens the part of the service that reads other people's pages and files, never on the server's own thread. It has one
 * pool of threads for pages that a person waits for, another for mentions, and a third for documents (files of the
 * owner's folders and archives, and long Markdown). So neither a flood of mentions nor a hostile file can delay a
 * sign-in. Threads start when the first page or file arrives and end when they are idle.
 */
export function openReading({
  clock,
  deadlineMs = kinds.awaited.deadlineMs,
  refused,
}: {
  readonly clock: Clock;
  readonly deadlineMs?: number;
  /** Called when a page that a person is waiting for isn't read because a time budget is used up. */
  readonly refused?: () => void;
}) {
  const open = <J extends Jobs>(kind: Kind, options: Partial<PoolOptions> = {}) =>
    createPool<J>({ ...kind, deadlineMs }, { clock, ...options });
  const awaited = open<PageJobs>(kinds.awaited, { refused });
  const mentions = open<PageJobs>(kinds.mentions);
  const documents = open<DocumentJobs>(kinds.documents);
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
