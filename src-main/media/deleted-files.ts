import { join } from 'node:path';
import { nodeOperations } from '../storage/file-operations.ts';
import { appendLines, lineFileState } from '../storage/line-file.ts';
import { mediaFilesIn, journalOf } from './media-folder.ts';
import { isFileLine, readMediaMonth, mediaLineText } from './media-lines.ts';
import { mediaPath, type MediaPlace } from './media-name.ts';
import { monthsIn } from '../storage/folder-names.ts';

/** Yields the files that were deleted in the folder `here` but still exist in the folder `there`. */
export async function* filesDeletedHere(here: string, there: string): AsyncGenerator<MediaPlace> {
  for (const month of await monthsIn(there)) {
    const { lines } = await readMediaMonth(here, month);
    for (const file of await mediaFilesIn(join(there, month))) {
      const line = lines.get(mediaPath({ month, file }));
      if (line !== undefined && !isFileLine(line)) yield { month, file };
    }
  }
}

/** Deletes the files in `there` that were deleted in `here`. An existing index of `there` can't be trusted afterwards. */
export async function keepFilesDeleted(here: string, there: string): Promise<void> {
  for await (const place of filesDeletedHere(here, there)) {
    const { month, file } = place;
    // The deletion is recorded first: a file that the journal does not list would be added to it again.
    const journal = journalOf(there, month);
    // The leading line break ends a line that an interrupted write may have cut off.
    const text = `\n${mediaLineText({ path: mediaPath(place), deleted: true })}`;
    await appendLines(journal, (await lineFileState(journal)).size, text);
    await nodeOperations.remove(join(there, month, file));
  }
}
