import { stat } from 'node:fs/promises';
import type { Static } from 'typebox';
import { LastCopy } from '../contract/data.ts';
import { closed, orNull } from '../contract/shapes.ts';
import type { Log } from '../platform/log.ts';
import type { DataDocuments } from '../storage/document.ts';
import { lastCopiesName } from '../storage/kept-paths.ts';

const LastCopies = closed({ backup: orNull(LastCopy), export: orNull(LastCopy) });
type LastCopies = Static<typeof LastCopies>;

/** A copy that was just made. `bytes`: its size, if there is no file at `path` any more. */
export type NewCopy = Omit<LastCopy, 'bytes'> & { readonly bytes?: number };

export type LastCopyNotes = Awaited<ReturnType<typeof openLastCopies>>;

export const lastCopiesFormat = {
  schema: LastCopies,
  kind: 'note' as const,
  format: 1,
  initial: { backup: null, export: null },
};

/**
 * Opens the record of the newest backup and the newest export, so that the owner can find them again.
 * @throws the same errors as `openDocument`.
 */
export async function openLastCopies(documents: DataDocuments, log: Log) {
  const document = await documents.open(lastCopiesName, lastCopiesFormat);
  return {
    get last(): Readonly<LastCopies> {
      return document.data;
    },
    /**
     * Records a new backup or export. If recording fails, only logs the error, because the backup or export itself
     * succeeded.
     */
    async note(kind: keyof LastCopies, copy: NewCopy): Promise<void> {
      try {
        const written = copy.path === null ? undefined : await stat(copy.path);
        const bytes = copy.bytes ?? (written?.isFile() === true ? written.size : copy.counts.bytes);
        await document.update((copies) => void (copies[kind] = { ...copy, bytes }));
      } catch (error) {
        log.warn({ err: error }, 'the note about a copy was not saved');
      }
    },
  };
}
