import { PorchlightError } from '../contract/error.ts';
import { RetryLater } from '../http/errors.ts';
import { overLimit } from '../untrusted/over-limit.ts';
import { theOwner, type Pool } from '../untrusted/pool.ts';
import { nobody } from '../posts/inline-links.ts';
import type { RenderMarkdown } from '../posts/markdown-rendering.ts';
import { sha256 } from '../storage/sha256.ts';
import type { ReadFolderText } from '../site-folder/folder-jobs.ts';
import type { DocumentJobs } from './document-jobs.ts';

/**
 * What a document is read for. `owner`: the owner waits for the result. The others have turns of their own, so that
 * many slow documents of one kind delay only one another.
 */
export type DocumentUse = 'owner' | 'scan' | 'import' | 'site';

/** What is read, and what for. `name`: the document's name, which begins the message of an error: `_config.yml`. */
export interface DocumentSubject {
  readonly name: string;
  readonly use: DocumentUse;
}

/** The maximum length of Markdown that is rendered on the main thread, in characters. */
const longestHere = 8192;
const mostRefused = 1000;
const crowdedMs = 60_000;

const isBusy = (error: unknown) =>
  error instanceof RetryLater || (error instanceof PorchlightError && error.code === 'reading_unavailable');

const notNow = (name: string, cause: unknown) =>
  new RetryLater(`${name} can’t be read at the moment. Try again later.`, crowdedMs, 503, { cause });

/**
 * Reads documents that Porchlight didn't write (files of the owner's folders and archives, and long Markdown) in
 * threads with a deadline and a memory limit.
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
        if (text.length <= longestHere) {
          const { markdownHtml } = await import('../posts/markdown.ts');
          return markdownHtml(text, personUrl);
        }
        const about = { name, use };
        const { html, unknown } = await run('markdown', { text }, about);
        const people = unknown.flatMap((handle) => {
          const url = personUrl(handle);
          return url === undefined ? [] : [[handle, url] as const];
        });
        if (people.length === 0) return html;
        return (await run('markdown', { text, people: Object.fromEntries(people) }, about)).html;
      },
  };
}

export type DocumentReading = ReturnType<typeof createDocumentReading>;
