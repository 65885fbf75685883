import { join } from 'node:path';
import { durableJournal } from '../storage/durable-journal.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { readJournal } from '../storage/journal.ts';
import { folded, isFileLine, type IndexLine } from './index-line.ts';
import { filesIn, journalOf, monthsIn } from './media-folder.ts';
import { pathOf } from './media-name.ts';

/** A file in one folder of media that was deleted in another. */
interface DeletedFile {
  readonly month: string;
  readonly file: string;
}

/** Finds the files that are in the folder `there`, and were deleted in the folder `here`. */
export async function* filesDeletedHere(here: string, there: string): AsyncGenerator<DeletedFile> {
  for (const month of await monthsIn(there)) {
    const lines = folded((await readJournal(journalOf(join(here, month)))).lines, month).lines;
    for (const file of await filesIn(join(there, month))) {
      const line = lines.get(file);
      if (line !== undefined && !isFileLine(line)) yield { month, file };
    }
  }
}

/** Deletes in `there` what was deleted `here`. */
export async function keepFilesDeleted(here: string, there: string): Promise<void> {
  for await (const { month, file } of filesDeletedHere(here, there)) {
    const journal = journalOf(join(there, month));
    const line: IndexLine = { path: pathOf({ month, file }), deleted: true };
    // The line comes first: a file without one would be taken in again.
    await durableJournal(journal, await readJournal(journal)).append([line]);
    await nodeOperations.remove(join(there, month, file));
  }
}
