import { PorchlightError } from '../contract/error.ts';
import { theOwner, type ReadingPool } from '../http/strangers/reading-pool.ts';
import { nobody, type PersonFinder } from '../post/inline-links.ts';
import { sha256 } from '../storage/sha256.ts';
import type { DocumentJobs } from './document-worker.ts';

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

/**
 * Reads documents that Porchlight didn't write (files of the owner's folders and archives, and long Markdown) in
 * threads with a deadline and a memory limit.
 */
export function createDocumentReading(pool: Pick<ReadingPool<DocumentJobs>, 'run'>) {
  /** The digests of the inputs that exceeded a limit, with the error's code. They aren't tried again. */
  const refused = new Map<string, PorchlightError>();

  /**
   * Runs a job on a document. Remembers a document that exceeds the limits, and refuses it at once the next time.
   * @throws PorchlightError with a message that begins with the document's name: `page_too_slow`, `page_too_large` or
   * `page_unreadable` if the document can't be read within the limits; `reading_unavailable` or RetryLater if no thread
   * can read it now
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
      if (!isOverLimit(error)) throw error;
      if (refused.size >= mostRefused) refused.clear();
      refused.set(key(), error);
      throw new PorchlightError(error.code, `${name} ${words[error.code]}`, error.status, { cause: error });
    }
  }

  return {
    run,
    /**
     * Converts Markdown to HTML, as `markdownHtml` does. Long Markdown is converted in a thread.
     * @throws the errors of `run`
     */
    async markdown(text: string, about: DocumentSubject, personUrl: PersonFinder = nobody): Promise<string> {
      if (text.length <= longestHere) {
        const { markdownHtml } = await import('../post/markdown.ts');
        return markdownHtml(text, personUrl);
      }
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

const words = {
  page_too_slow: 'takes too long to read.',
  page_too_large: 'takes too much memory to read.',
  page_unreadable: 'can’t be read.',
} as const;

interface OverLimit extends PorchlightError {
  readonly code: keyof typeof words;
}

/** Returns whether the document itself can't be read. For any other error, another attempt may succeed. */
export function isOverLimit(error: unknown): error is OverLimit {
  return error instanceof PorchlightError && error.code in words;
}
