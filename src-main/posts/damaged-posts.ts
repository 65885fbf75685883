import { PorchlightError } from '../contract/error.ts';
import type { Log } from '../platform/log.ts';
import { copiedDocument, type PostDocument } from './post-document.ts';
import { damagedStamp, type PostIndex } from './post-index.ts';
import { postPath, type PostPlace } from './post-path.ts';

interface DamagedPostsDeps {
  readonly rows: Pick<PostIndex, 'stampOf' | 'setAside' | 'copyOf'>;
  /** Runs a change of the index. */
  readonly together: (change: () => void) => Promise<unknown>;
  /** Returns whether a post has no file. */
  readonly isMissing: (place: PostPlace) => boolean;
  readonly log: Pick<Log, 'warn'> | undefined;
}

/** A damaged document. `copy`: its last copy; undefined if there is none, or if it is damaged too. */
export interface DamagedDocument {
  readonly place: PostPlace;
  readonly copy: PostDocument | undefined;
}

/** Returns whether an error says that neither a document nor its previous version can be used. */
export const isDamage = (error: unknown): boolean =>
  error instanceof PorchlightError && error.code === 'storage_broken';

/**
 * Keeps track of the posts whose documents are damaged. Such a document stays as it is, and its post keeps its path. The
 * row in the index is in no list. It keeps the last copy of the document, with which the owner can restore it.
 */
export function trackDamage({ rows, together, isMissing, log }: DamagedPostsDeps) {
  /** The posts whose documents this process found damaged, by path. */
  const damaged = new Map<string, PostPlace>();
  /** The copies with which documents are being restored, by path. */
  const restoring = new Map<string, PostDocument>();

  function copyOf(place: PostPlace): PostDocument | undefined {
    const parts = rows.copyOf(place);
    return parts && copiedDocument(parts);
  }

  return {
    /** Returns the content of a damaged document that is being restored. @throws `error` otherwise */
    whenLost(path: string, error: PorchlightError): PostDocument {
      const copy = restoring.get(path);
      if (copy === undefined) throw error;
      return copy;
    },

    /** Takes a post whose document is damaged out of the lists. Never rejects. */
    async found(place: PostPlace): Promise<void> {
      const path = postPath(place);
      try {
        if (!damaged.has(path) && rows.stampOf(place) !== damagedStamp)
          await together(() => rows.setAside(place));
        damaged.set(path, place);
      } catch (error) {
        log?.warn({ err: error, path }, 'the index of posts could not be written');
      }
    },

    /** Records that a document can be read. Returns whether it was damaged before. */
    isOver: (path: string): boolean => damaged.delete(path),

    /** Returns up to `most` damaged documents. */
    list(most: number): DamagedDocument[] {
      const found: DamagedDocument[] = [];
      for (const [path, place] of damaged) {
        if (found.length >= most) break;
        if (isMissing(place)) damaged.delete(path);
        else found.push({ place, copy: copyOf(place) });
      }
      return found;
    },

    /**
     * Restores a document from its copy, unless `open` can read it by now. Keeps the damaged file under another name.
     * `open` opens the document.
     * @throws PorchlightError `not_found` if there is no sound copy, and what `open` throws
     */
    async restore(place: PostPlace, open: () => Promise<void>): Promise<void> {
      try {
        await open();
        return;
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
      const copy = copyOf(place);
      if (copy === undefined)
        throw new PorchlightError(
          'not_found',
          'Porchlight has no copy of this post, or the copy is damaged too. Restore the file from a backup.',
          404,
        );
      restoring.set(postPath(place), copy);
      try {
        await open();
      } finally {
        restoring.delete(postPath(place));
      }
    },
  };
}
