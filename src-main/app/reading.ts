import { PorchlightError } from '../contract/error.ts';
import { RetryLater } from '../http/errors.ts';
import type { PageReading } from '../mentions/receiving/read-source.ts';
import type { SourcePage } from '../mentions/receiving/source/source-page.ts';
import type { Clock } from '../platform/clock.ts';
import type { PostAtHome } from '../posts/files/live-mark.ts';
import { linksOfPost } from '../mentions/sending/plan.ts';
import { nobody, type PersonFinder } from '../posts/links.ts';
import type { RenderMarkdown, PostReading } from '../posts/post-reading.ts';
import { plainCitations } from '../posts/rendering/citation.ts';
import { shownBeginning, type PostInWords, shownContent } from '../posts/rendering/contents.ts';
import type { ReadClient } from '../sign-in/client-directory.ts';
import type { ReadFolderText } from '../site-folder/folder-jobs.ts';
import { sha256 } from '../storage/file-facts.ts';
import { type Kind, kinds, overLimit } from '../untrusted/kinds.ts';
import type { FetchedPage } from '../untrusted/pages/fetched-page.ts';
import { createPool, type Pool, type PoolOptions, theOwner } from '../untrusted/pool.ts';
import type { Jobs } from '../untrusted/serve-jobs.ts';
import type { DocumentJobs } from './document-jobs.ts';
import type { PageJobs } from './page-jobs.ts';

/**
 * Opens the part of the service that reads other people's pages and files, never on the server's own thread. It has one
 * pool of threads for pages that a person waits for, another for mentions, and a third for documents (files of the
 * owner's folders and archives, long Markdown, and long posts). So neither a flood of mentions nor a hostile file can
 * delay a sign-in. Threads start when the first page or file arrives and end when they are idle.
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

/**
 * What a document is read for. `owner`: the owner waits for the result. The others have turns of their own, so that
 * many slow documents of one kind delay only one another.
 */
type DocumentUse = 'owner' | 'scan' | 'import' | 'site';

/** What is read, and what for. `name`: the document's name, which begins the message of an error: `_config.yml`. */
export interface DocumentSubject {
  readonly name: string;
  readonly use: DocumentUse;
}

/** The maximum length of Markdown that is rendered on the main thread, in characters, and that of a post as JSON. */
const longestHere = { markdown: 8192, post: 20_000 };
const mostRefused = 1000;
const crowdedMs = 60_000;

const isBusy = (error: unknown) =>
  error instanceof RetryLater || (error instanceof PorchlightError && error.code === 'reading_unavailable');

const notNow = (name: string, cause: unknown) =>
  new RetryLater(`${name} can’t be read at the moment. Try again later.`, crowdedMs, 503, { cause });

/** Returns a post as JSON for a thread. The Markdown itself isn't needed there. */
const jsonOf = ({ path, home, properties, markdown }: PostInWords) =>
  JSON.stringify({ path, home, properties, ...(markdown !== undefined && { markdown: '' }) });

/** Returns the result of a job, or `otherwise()` if its document exceeds the limits. */
async function orElse<T>(job: Promise<T>, otherwise: () => T): Promise<T> {
  try {
    return await job;
  } catch (error) {
    if (overLimit(error) === undefined) throw error;
    return otherwise();
  }
}

/**
 * Reads documents that Porchlight didn't write (files of the owner's folders and archives, long Markdown, and long
 * posts) in threads with a deadline and a memory limit.
 */
export function createDocumentReading(pool: Pick<Pool<DocumentJobs>, 'run'>) {
  /** The digests of the inputs that exceeded a limit, with the error's code. They aren't tried again. */
  const refused = new Map<string, PorchlightError>();

  /**
   * Runs a job on a document. Remembers a document that exceeds the limits, and refuses it at once the next time.
   * @throws PorchlightError with a message that begins with the document's name: `page_too_slow`, `page_too_large` or
   * `page_unreadable` if the document can't be read within the limits; RetryLater if no thread can read it now
   */
  async function run<K extends keyof DocumentJobs>(
    job: K,
    input: Parameters<DocumentJobs[K]>[0],
    { name, use }: DocumentSubject,
  ): Promise<ReturnType<DocumentJobs[K]>> {
    // Only the text's digest, so that the digest of a long text is computed in a few ms.
    const key = () => `${job} ${sha256(input.text)}`;
    const known = refused.size > 0 ? refused.get(key()) : undefined;
    try {
      if (known) throw known;
      return await pool.run(
        job,
        input,
        use === 'owner' ? theOwner : `${theOwner}: ${use}`,
        input.text.length,
      );
    } catch (error) {
      const why = overLimit(error);
      if (why === undefined) throw isBusy(error) ? notNow(name, error) : error;
      if (refused.size >= mostRefused) refused.clear();
      refused.set(key(), error as PorchlightError);
      const { code, status } = error as PorchlightError;
      throw new PorchlightError(code, `${name} ${why}`, status, { cause: error });
    }
  }

  /** Runs a job that may need the URLs of people: again if it says that the text has handles of people who are known. */
  async function withPeople<R extends { readonly unknown: readonly string[] }>(
    personUrl: PersonFinder,
    ask: (people?: Readonly<Record<string, string>>) => Promise<R>,
  ): Promise<R> {
    const first = await ask();
    const people = first.unknown.flatMap((handle) => {
      const url = personUrl(handle);
      return url === undefined ? [] : [[handle, url] as const];
    });
    return people.length === 0 ? first : ask(Object.fromEntries(people));
  }

  return {
    run,
    /** Returns a function that runs jobs on the files of the owner's folder (see `run`). */
    ofFolder:
      (use: DocumentUse): ReadFolderText =>
      (job, input, name) =>
        run(job, input, { name, use }),
    /** Returns a function that converts Markdown. */
    markdown:
      (use: DocumentUse): RenderMarkdown =>
      async (text, name, personUrl = nobody) => {
        if (text.length <= longestHere.markdown) {
          const { markdownHtml } = await import('../posts/markdown.ts');
          return markdownHtml(text, personUrl);
        }
        const about = { name, use };
        return (await withPeople(personUrl, (people) => run('markdown', { text, people }, about))).html;
      },
    /** Returns the functions that read posts. */
    posts: (use: DocumentUse): PostReading => ({
      content(post, base, { personUrl = nobody, cited = () => undefined }) {
        const text = jsonOf(post);
        if (text.length <= longestHere.post) return shownContent(post, base, { personUrl, cited });
        const pages = plainCitations(post.properties, base).flatMap((url) => {
          const page = cited(url);
          return page ? [[url, page] as const] : [];
        });
        return orElse(
          withPeople(personUrl, (people) =>
            run(
              'postContent',
              { text, base, people, pages: Object.fromEntries(pages) },
              { name: 'The post', use },
            ),
          ).then(({ content }) => content),
          () => shownBeginning(post, base),
        );
      },
      links(post, base, personUrl = nobody) {
        const text = jsonOf(post);
        if (text.length <= longestHere.post) return linksOfPost(post, base, personUrl);
        return orElse(
          withPeople(personUrl, (people) =>
            run('postLinks', { text, base, people }, { name: 'The post', use }),
          ).then(({ links }) => links),
          () => [],
        );
      },
    }),
  };
}

export type DocumentReading = ReturnType<typeof createDocumentReading>;
