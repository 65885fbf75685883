import { closed, Id } from '../contract/shapes.ts';
import { documentCodec } from './document-format.ts';
import { openJournal, readContent } from './journal.ts';

/** The format of a line in a list of ended ids, which are ids that never become valid again. */
export const endedFormat = { schema: closed({ id: Id }), format: 1 };
const codec = documentCodec(endedFormat);
const entriesOf = (ids: Iterable<string>) => Array.from(ids, (id) => ({ id }));

/**
 * Opens a list of ended ids, such as the ids of apps' revoked access. An ended id never becomes valid again: the list
 * has its own file, so recovering an older version of a document (such as grants.json) can't restore the id. The list's
 * folder must exist. `mayReturn` returns whether any version of that document can still contain an id. All other ids
 * are dropped from the list. Open each list only once per process.
 * @throws PorchlightError `storage_newer`, `storage_unreadable`
 */
export async function openEndedIds(file: string, mayReturn: (id: string) => boolean) {
  const { ids: found, isWhole, size } = await readEnded(file);
  let ids = found;
  const journal = openJournal(file, codec, size);
  const needed = new Set([...ids].filter(mayReturn));
  if (isWhole && needed.size < ids.size) {
    try {
      await journal.rewrite(() => entriesOf(needed));
      ids = needed;
    } catch {
      // If the file can't be rewritten, for example because the disk is full, it keeps ids that are no longer needed.
      // That does no harm.
    }
  }

  return {
    has: (id: string): boolean => ids.has(id),
    /**
     * Adds an id. The id is on disk when the promise resolves.
     * @throws PorchlightError `storage_full`, `storage_unwritable`
     */
    async add(id: string): Promise<void> {
      if (ids.has(id)) return;
      await journal.append(entriesOf([id]));
      ids.add(id);
    },
  };
}

/**
 * Reads a list of ended ids that is not open. `isWhole`: false if a line could not be read. `size`: the size of the
 * complete lines, in bytes.
 */
export async function readEnded(file: string): Promise<{ ids: Set<string>; isWhole: boolean; size: number }> {
  const { entries, unread, size } = await readContent(file, codec);
  return { ids: new Set(entries.map(({ id }) => id)), isWhole: unread === 0, size };
}

/**
 * Adds the ids of the list in `from` to the list in `to`. Neither list may be in use. The ids are on disk when the
 * promise resolves.
 */
export async function mergeEnded(from: string, to: string): Promise<void> {
  const theirs = await readEnded(to);
  const ids = new Set([...theirs.ids, ...(await readEnded(from)).ids]);
  if (ids.size > 0) await openJournal(to, codec, theirs.size).rewrite(() => entriesOf(ids));
}
