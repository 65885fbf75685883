import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import { removeDerived } from './derived-files.ts';
import { mediaFilesIn } from './media-folder.ts';
import { mediaPath, partsOfFileName, type MediaPlace } from './media-name.ts';
import { putFileRow, putMissing, type MediaRows } from './media-rows.ts';
import type { MediaFile } from './media-store.ts';
import { mediaKindOf } from './media-types.ts';
import { sniffFile } from './sniff.ts';

interface Comparing {
  /** The media folder. */
  readonly dir: string;
  readonly rows: MediaRows;
  readonly write: (change: (transaction: Transaction) => void) => Promise<void>;
  readonly log?: Pick<Log, 'warn'> | undefined;
  readonly signal: AbortSignal;
}

/** How many files to compare before other work can run. */
const filesAtOnce = 50;

/**
 * Makes the records of a month match its files. Adds files without a record, because the process may have been killed
 * before it wrote the record, or the owner has put them there. Completes interrupted deletions. Returns false if a file
 * could not be added or removed.
 * @throws the errors of reading the folder and of `write`
 */
export async function compareMonth(month: string, work: Comparing): Promise<boolean> {
  const { dir, rows, write, signal } = work;
  const known = rows.ofMonth(month);
  const present = await mediaFilesIn(join(dir, month));
  const files = [...new Set([...known.keys(), ...present])];
  let isWhole = true;
  for (let start = 0; start < files.length; start += filesAtOnce) {
    const added: MediaFile[] = [];
    const missing = new Map<string, boolean>();
    for (const file of files.slice(start, start + filesAtOnce)) {
      const [place, state] = [{ month, file }, known.get(file)];
      if (!present.has(file)) {
        if (state === 'there') missing.set(mediaPath(place), true);
      } else if (state === undefined) {
        const found = await describedFile(place, work);
        if (found) added.push(found);
        else isWhole = false;
      } else if (state === 'missing') missing.set(mediaPath(place), false);
      else if (state === 'deleted' && !(await removeFiles(place, work))) isWhole = false;
    }
    if (added.length + missing.size > 0) {
      await write((transaction) => {
        for (const file of added) putFileRow(transaction, file, false);
        for (const [path, isMissing] of missing) putMissing(transaction, path, isMissing);
      });
    }
    await nextTurn();
    signal.throwIfAborted();
  }
  return isWhole;
}

/** Deletes a file and what was derived from it. Returns false, and logs the error, if they cannot be deleted. */
export async function removeFiles(
  { month, file }: MediaPlace,
  { dir, log }: Pick<Comparing, 'dir' | 'log'>,
): Promise<boolean> {
  try {
    await nodeOperations.remove(join(dir, month, file));
    await removeDerived(join(dir, month), file);
    return true;
  } catch (error) {
    log?.warn({ err: error, file, month }, 'a deleted file could not be removed');
    return false;
  }
}

/** Describes a file without a record. Returns undefined if the file's content doesn't match its name. */
async function describedFile(place: MediaPlace, { dir, log }: Comparing): Promise<MediaFile | undefined> {
  const { month, file } = place;
  const parts = partsOfFileName(file);
  if (parts === undefined) return undefined;
  try {
    const type = await sniffFile(join(dir, month, file), parts.type);
    if (type !== parts.type) throw new Error(`its content is ${type}`);
    const { size, mtime } = await stat(join(dir, month, file));
    return {
      ...{ path: mediaPath(place), name: parts.name, type, kind: mediaKindOf(type), bytes: size },
      ...{ width: null, height: null, uploadedAt: withinMonth(mtime, month), copyOf: null },
    };
  } catch (error) {
    log?.warn({ err: error, file, month }, 'a file could not be added to the list');
    return undefined;
  }
}

/**
 * Returns a file's modification time, or the start of `month` if the file was modified in another month. Copying a
 * folder can change its files' times, and a time outside `month` would put the file in the wrong place in lists.
 */
function withinMonth(moment: Date, month: string): string {
  const start = `${month.replace('/', '-')}-01T00:00:00.000Z`;
  const text = moment.toISOString();
  return text.startsWith(start.slice(0, 8)) ? text : start;
}
