import type { Log } from '../platform/log.ts';
import { stampNow } from '../storage/file-facts.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { type PostDocument, restOf } from './post-document.ts';
import { postTables, type PostIndex } from './post-index.ts';
import { postPath, type PostPlace } from './post-path.ts';

interface RowFollowingDeps {
  readonly index: IndexDatabase;
  readonly rows: Pick<PostIndex, 'put' | 'restamp' | 'stampOf'>;
  /** Runs a change of the index. */
  readonly together: (change: () => void) => Promise<void>;
  readonly fileOf: (place: PostPlace) => string;
  readonly log: Pick<Log, 'warn'> | undefined;
}

/** Keeps the rows of the index up to date with the documents, and knows whether the index can be trusted. */
export function rowFollowing({ index, rows, together, fileOf, log }: RowFollowingDeps) {
  /** The posts whose row in the index could not be written, by path. */
  const missed = new Map<string, PostPlace>();
  /** Whether all documents have been read and compared with the index. */
  let isWhole = false;
  const trust = () => index.setTrusted(postTables, isWhole && missed.size === 0);
  trust();

  return {
    missed: (): readonly PostPlace[] => [...missed.values()],
    isMissed: (place: PostPlace): boolean => missed.has(postPath(place)),
    /** Returns whether the row of a document was made from the current version of its file. */
    isCurrent: (place: PostPlace): boolean =>
      !missed.has(postPath(place)) && rows.stampOf(place) === stampNow(fileOf(place)),

    setWhole(whole: boolean): void {
      isWhole = whole;
      trust();
    },

    /**
     * Updates a document's row in the index. Never rejects, because the document is already on disk, and its row can be
     * rebuilt later. Resolves with the error if the row could not be written. `isSaved`: whether the document was just
     * saved, so that the version of its file is known. `isPostSame`: whether only other parts of the document have
     * changed.
     */
    async follow(
      place: PostPlace,
      document: { readonly data: PostDocument; readonly stamp: string },
      { isSaved = false, isPostSame = false } = {},
    ): Promise<unknown> {
      try {
        const stamp = isSaved ? document.stamp : stampNow(fileOf(place));
        const { data } = document;
        const rest = await restOf(data);
        await together(() => {
          if (isPostSame) rows.restamp(place, stamp, rest);
          else rows.put(place, stamp, { ...data, rest });
        });
        if (missed.delete(postPath(place))) trust();
        return undefined;
      } catch (error) {
        index.versions.changed('posts');
        missed.set(postPath(place), place);
        trust();
        log?.warn({ err: error, path: postPath(place) }, 'the index of posts could not be written');
        return error;
      }
    },
  };
}
