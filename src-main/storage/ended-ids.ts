import { closed, Id } from '../contract/shapes.ts';
import { documentCodec } from './document-format.ts';
import { durableJournal } from './durable-journal.ts';
import { readJournal } from './journal.ts';

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
const lineOf = (id: string) => codec.encode({ id });

/**
 * Opens the list in `file`. The file need not exist, but its folder must. `mayReturn` returns whether any version of
 * the document can still contain an id; other ids are removed from the list. Open each list only once per process.
 * @throws PorchlightError `storage_newer`, `storage_unreadable`
 */
export async function openEndedIds(file: string, mayReturn: (id: string) => boolean): Promise<EndedIds> {
  const { ids, whole } = await readEnded(file);
  const journal = durableJournal(file, { whole });
  const needed = [...ids].filter(mayReturn);
  if (whole && needed.length < ids.size) {
    // If the disk has no room for the shorter file, keeping the longer one does no harm.
    const isShorter = await journal.rewrite(needed.map(lineOf)).then(
      () => true,
      () => false,
    );
    if (isShorter) for (const id of ids) if (!mayReturn(id)) ids.delete(id);
  }

  return {
    has: (id) => ids.has(id),
    async add(id) {
      if (ids.has(id)) return;
      await journal.append([lineOf(id)]);
      ids.add(id);
    },
  };
}

/** Reads a list that is not open. `whole`: false if a line could not be read. */
export async function readEnded(file: string): Promise<{ ids: Set<string>; whole: boolean }> {
  const { lines, whole } = await readJournal(file);
  const decoded = lines.map((line) => codec.decode(line, file));
  const ids = decoded.flatMap((line) => ('data' in line ? [line.data.id] : []));
  return { ids: new Set(ids), whole: whole && ids.length === lines.length };
}

/**
 * Adds the ids of the list in `from` to the list in `to`. Neither list may be open. The ids are on disk when the
 * promise resolves.
 */
export async function mergeEnded(from: string, to: string): Promise<void> {
  const ids = new Set([...(await readEnded(to)).ids, ...(await readEnded(from)).ids]);
  if (ids.size > 0) await durableJournal(to, { whole: true }).rewrite([...ids].map(lineOf));
}
