import { join } from 'node:path';
import { durableJournal } from '../storage/durable-journal.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { readJournal } from '../storage/journal.ts';
import { folded, isFileLine, type IndexLine } from './index-line.ts';
import { filesIn, journalOf, monthsIn } from './media-folder.ts';
import { pathOf } from './media-name.ts';

/** A file that was deleted in one media folder but still exists in another. */
interface DeletedFile {
  readonly month: string;
  readonly file: string;
}

/** Yields the files that were deleted in the folder `here` but still exist in the folder `there`. */
export async function* filesDeletedHere(here: string, there: string): AsyncGenerator<DeletedFile> {
  for (const month of await monthsIn(there)) {
    const lines = folded((await readJournal(journalOf(join(here, month)))).lines, month).lines;
    for (const file of await filesIn(join(there, month))) {
      const line = lines.get(file);
      if (line !== undefined && !isFileLine(line)) yield { month, file };
    }
  }
}

/** Deletes the files in `there` that were deleted in `here`. */
export async function keepFilesDeleted(here: string, there: string): Promise<void> {
  for await (const { month, file } of filesDeletedHere(here, there)) {
    const journal = journalOf(join(there, month));
    const line: IndexLine = { path: pathOf({ month, file }), deleted: true };
    // The deletion is recorded first: a file that the index does not list would be added to the index again.
    await durableJournal(journal, await readJournal(journal)).append([line]);
    await nodeOperations.remove(join(there, month, file));
  }
}
