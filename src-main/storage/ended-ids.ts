import { closed, Id } from '../contract/shapes.ts';
import { documentCodec } from './document-format.ts';
import { openJournal, readContent } from './journal.ts';

/**
 * The ids of what the owner ended for good. They are in a file of their own, so that restoring an older version of a
 * document can't bring these things back.
 */
export interface EndedIds {
  has(id: string): boolean;
  /**
   * Adds an id. The id is on disk when the promise resolves.
   * @throws PorchlightError `storage_full`, `storage_unwritable`
   */
  add(id: string): Promise<void>;
}

/** The format of a line of the list. */
export const endedFormat = { schema: closed({ id: Id }), format: 1 };
const codec = documentCodec(endedFormat);
const entriesOf = (ids: Iterable<string>) => Array.from(ids, (id) => ({ id }));

/**
 * Opens the list in `file`. The file need not exist, but its folder must. `mayReturn` returns whether any version of
 * the document can still contain an id; other ids are removed from the list. Open each list only once per process.
 * @throws PorchlightError `storage_newer`, `storage_unreadable`
 */
export async function openEndedIds(file: string, mayReturn: (id: string) => boolean): Promise<EndedIds> {
  const { ids, isWhole, size } = await readEnded(file);
  const journal = openJournal(file, codec, size);
  const needed = [...ids].filter(mayReturn);
  if (isWhole && needed.length < ids.size) {
    // If the disk has no room for the shorter file, keeping the longer one does no harm.
    const isShorter = await journal
      .rewrite(() => entriesOf(needed))
      .then(
        () => true,
        () => false,
      );
    if (isShorter) for (const id of ids) if (!mayReturn(id)) ids.delete(id);
  }

  return {
    has: (id) => ids.has(id),
    async add(id) {
      if (ids.has(id)) return;
      await journal.append(entriesOf([id]));
      ids.add(id);
    },
  };
}

/** Reads a list that is not open. `isWhole`: false if a line could not be read. `size`: of the whole lines, in bytes. */
export async function readEnded(file: string): Promise<{ ids: Set<string>; isWhole: boolean; size: number }> {
  const { entries, unread, size } = await readContent(file, codec);
  return { ids: new Set(entries.map(({ id }) => id)), isWhole: unread === 0, size };
}

/**
 * Adds the ids of the list in `from` to the list in `to`. Neither list may be open. The ids are on disk when the
 * promise resolves.
 */
export async function mergeEnded(from: string, to: string): Promise<void> {
  const theirs = await readEnded(to);
  const ids = new Set([...theirs.ids, ...(await readEnded(from)).ids]);
  if (ids.size > 0) await openJournal(to, codec, theirs.size).rewrite(() => entriesOf(ids));
}
