import type { FilePart } from '../http/multipart.ts';
import type { Pairs } from './form-pairs.ts';
import { invalid } from './safe-json.ts';

/** A file that a post brought along. */
export interface KeptFile {
  /** The address that the post holds of it. */
  readonly url: string;
  /** Removes it again: there will be no such post. */
  discard(): Promise<void>;
}

/** Streams a file to where it is kept. On disk when it resolves; nothing stays where it rejects. */
export type KeepFile = (
  content: AsyncIterable<Uint8Array>,
  about: { name?: string; claimedType?: string; uploadedBy: string },
) => Promise<KeptFile>;

/** The files of one request. */
export interface FileIntake {
  /** Keeps the file of a part; its address. `pairs`: the fields before it. @throws BearerError, invalid_request */
  take(part: FilePart, pairs: Pairs): Promise<string>;
  /** True where a file was taken. */
  readonly used: boolean;
  /** Removes all of them again. @throws AggregateError of what could not be removed */
  discard(): Promise<void>;
}

/** Files that one post may bring along. */
export const mostFiles = 50;

/** The properties whose values may be files (Micropub 3.3), as forms name them. */
const takesFiles = /^(?:photo|video|audio|featured)(?:\[\])?$/;

/** `allow` is asked once, before the first file is read: it names the app, and rejects where that may not post. */
export function createFileIntake(keep: KeepFile, allow: (pairs: Pairs) => Promise<string>): FileIntake {
  const kept: KeptFile[] = [];
  let uploadedBy: string | undefined;

  return {
    async take({ name, filename, claimedType, content }, pairs) {
      uploadedBy ??= await allow(pairs);
      if (!takesFiles.test(name)) throw invalid(`The field ${name} does not accept files.`);
      if (kept.length === mostFiles) throw invalid(`A post can have at most ${mostFiles} files.`);
      const file = await keep(content, {
        ...(filename !== undefined && { name: filename }),
        claimedType,
        uploadedBy,
      });
      kept.push(file);
      return file.url;
    },

    get used() {
      return kept.length > 0;
    },

    async discard() {
      const results = await Promise.allSettled(kept.splice(0).map((file) => file.discard()));
      const reasons = results.flatMap((result): unknown[] =>
        result.status === 'rejected' ? [result.reason] : [],
      );
      if (reasons.length > 0) throw new AggregateError(reasons, 'Files of a refused post are still there.');
    },
  };
}
