import { closed, Id } from '../contract/shapes.ts';
import { documentCodec } from './document-format.ts';
import { durableJournal } from './durable-journal.ts';
import { readJournal } from './journal.ts';

/** What the owner ended for good, in a file of its own that only grows: no older version of a document brings it back. */
export interface EndedIds {
  has(id: string): boolean;
  /** Adds an id. It is on disk when it resolves. @throws PorchlightError `storage_full`, `storage_unwritable` */
  add(id: string): Promise<void>;
}

/** A line of the list. */
export const endedFormat = { schema: closed({ id: Id }), format: 1 };
const codec = documentCodec(endedFormat);
const lineOf = (id: string) => codec.encode({ id });

/**
 * Opens the list in `file`, which need not exist, though its folder must. `mayReturn` says whether any version of the document can still contain
 * an id: the others are dropped. Open it once in a process.
 * @throws PorchlightError `storage_newer`, `storage_unreadable`
 */
export async function openEndedIds(file: string, mayReturn: (id: string) => boolean): Promise<EndedIds> {
  const { ids, whole } = await readEnded(file);
  const journal = durableJournal(file, { whole });
  const needed = [...ids].filter(mayReturn);
  if (whole && needed.length < ids.size) {
    // Without room for the shorter file, the longer one does no harm.
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

/** Reads a list that nobody has open. `whole`: false if a line could not be read. */
export async function readEnded(file: string): Promise<{ ids: Set<string>; whole: boolean }> {
  const { lines, whole } = await readJournal(file);
  const decoded = lines.map((line) => codec.decode(line, file));
  const ids = decoded.flatMap((line) => ('data' in line ? [line.data.id] : []));
  return { ids: new Set(ids), whole: whole && ids.length === lines.length };
}

/** Adds the ids of the list in `from` to the list in `to`, with neither of them open. On disk when it resolves. */
export async function mergeEnded(from: string, to: string): Promise<void> {
  const ids = new Set([...(await readEnded(to)).ids, ...(await readEnded(from)).ids]);
  if (ids.size > 0) await durableJournal(to, { whole: true }).rewrite([...ids].map(lineOf));
}
