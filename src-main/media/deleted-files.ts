import { join } from 'node:path';
import { nodeOperations } from '../storage/file-operations.ts';
import { appendLines, lineFileState } from '../storage/line-file.ts';
import { mediaFilesIn, journalOf } from './media-folder.ts';
import { isFileLine, readMediaMonth, mediaLineText } from './media-lines.ts';
import { mediaPath, type MediaPlace } from './media-name.ts';
import { monthsIn } from '../storage/folder-names.ts';

/** Yields the files that were deleted from the folder `here` but still exist in the folder `there`. */
export async function* filesDeletedHere(here: string, there: string): AsyncGenerator<MediaPlace> {
  for (const month of await monthsIn(there)) {
    const { lines } = await readMediaMonth(here, month);
    for (const file of await mediaFilesIn(join(there, month))) {
      const line = lines.get(mediaPath({ month, file }));
      if (line !== undefined && !isFileLine(line)) yield { month, file };
    }
  }
}

/**
 * Deletes the files in the folder `there` that were deleted from the folder `here`. If `there` has an index, that index
 * is out of date afterwards.
 */
export async function keepFilesDeleted(here: string, there: string): Promise<void> {
  for await (const place of filesDeletedHere(here, there)) {
    const { month, file } = place;
    // Record the deletion first. If this process is killed before it deletes the file, the next start deletes the file
    // instead of listing it again.
    const journal = journalOf(there, month);
    // After an interrupted write, the journal's last line may lack its line break, so start the new text with a line
    // break.
    const text = `\n${mediaLineText({ path: mediaPath(place), deleted: true })}`;
    await appendLines(journal, (await lineFileState(journal)).size, text);
    await nodeOperations.remove(join(there, month, file));
  }
}
