import type { EndingRegister } from '../storage/endings.ts';
import { filledPage } from '../storage/filled-page.ts';
import type { Versions } from '../storage/versions.ts';
import type { MediaFile, MediaStore } from './media-store.ts';

interface HoldOptions {
  readonly endings: EndingRegister;
  readonly versions: Pick<Versions, 'changed'>;
  /** Called with a deleted file whose deletion could not be saved at first, once it is on disk. */
  readonly saved: (file: MediaFile) => void;
}

/**
 * Makes deletions of files apply at once, even if they can't be saved now. Everything that reads files uses the
 * returned store.
 */
export function holdFileDeletions(store: MediaStore, { endings, versions, saved }: HoldOptions): MediaStore {
  const deleted = endings.kind<MediaFile>({
    write: (path) => store.delete(path),
    changed: () => versions.changed('media'),
    saved: (_path, file) => saved(file),
    words: (_path, { name }) => `the file ${name} is deleted`,
  });
  const isThere = ({ path }: MediaFile) => deleted.get(path) === undefined;

  return {
    ...store,
    isSaved: (path) => deleted.isSaved(path),
    get: async (path) => (deleted.get(path) === undefined ? store.get(path) : undefined),
    async copyOf(url) {
      const file = await store.copyOf(url);
      return file && isThere(file) ? file : undefined;
    },
    isDeleted: async (path) => deleted.get(path) !== undefined || store.isDeleted(path),
    thumbnail: async (path) => (deleted.get(path) === undefined ? store.thumbnail(path) : null),

    async list(page) {
      if (deleted.all.size === 0 || page.limit < 1) return store.list(page);
      const { offset, cursor: start, filter = {} } = page;
      const { items, next } = await filledPage(
        page.limit,
        async (limit, cursor) => {
          const from = cursor === undefined ? { offset, cursor: start } : { cursor };
          const part = await store.list({ limit, filter, ...from });
          return { items: part.items, next: part.nextCursor };
        },
        isThere,
      );
      return { items, ...(next !== undefined && { nextCursor: next }) };
    },

    async delete(path) {
      const file = deleted.get(path) ?? (await store.get(path));
      if (file === undefined) return store.delete(path); // throws
      return (await deleted.end(new Map([[path, file]]), () => store.delete(path))) ?? file;
    },
  };
}
