import type { FilePart } from '../../http/multipart.ts';
import type { Pairs } from './form-pairs.ts';
import { invalid } from './safe-json.ts';

/** A file that was sent along with a post. */
export interface KeptFile {
  /** The file's URL, as used in the post. */
  readonly url: string;
  /** Removes the file. Called if the post isn't created. */
  discard(): Promise<void>;
}

/**
 * Streams a file into storage. Resolves once the file is on disk. If the promise rejects, nothing remains of the file.
 */
export type KeepFile = (
  content: AsyncIterable<Uint8Array>,
  about: { name: string | undefined; claimedType: string; uploadedBy: string },
) => Promise<KeptFile>;

/** Stores the files that are sent in one Micropub request. */
export type FileIntake = ReturnType<typeof createFileIntake>;

/** The maximum number of files in one post. */
export const mostFilesInPost = 50;

/** The names of form fields whose values may be files (Micropub 3.3). */
const takesFiles = /^(?:photo|video|audio|featured)(?:\[\])?$/;

/**
 * Creates the storage for the files of one request. Before the first file is read, `allow` is called with the form
 * fields that precede the file. `allow` resolves with the app's name, and rejects if the app may not create posts.
 */
export function createFileIntake(keep: KeepFile, allow: (pairs: Pairs) => Promise<string>) {
  const kept: KeptFile[] = [];
  let uploadedBy: string | undefined;

  return {
    /**
     * Stores a file from a form, and returns its URL. `pairs`: the form fields before the file.
     * @throws BearerError, invalid_request
     */
    async take({ name, filename, claimedType, content }: FilePart, pairs: Pairs): Promise<string> {
      uploadedBy ??= await allow(pairs);
      if (!takesFiles.test(name)) throw invalid(`The field ${name} does not accept files.`);
      if (kept.length === mostFilesInPost) throw invalid(`A post can have at most ${mostFilesInPost} files.`);
      const file = await keep(content, { name: filename, claimedType, uploadedBy });
      kept.push(file);
      return file.url;
    },

    /** Whether any file was stored. */
    get used(): boolean {
      return kept.length > 0;
    },

    /**
     * Removes all stored files.
     * @throws AggregateError with the errors of files that could not be removed
     */
    async discard(): Promise<void> {
      const results = await Promise.allSettled(kept.splice(0).map((file) => file.discard()));
      const reasons = results.flatMap((result): unknown[] =>
        result.status === 'rejected' ? [result.reason] : [],
      );
      if (reasons.length > 0) throw new AggregateError(reasons, 'Files of a refused post are still there.');
    },
  };
}
