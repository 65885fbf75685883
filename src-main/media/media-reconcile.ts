import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { reconcileBatch, reconcileLines } from '../storage/index/reconcile-lines.ts';
import { noLines } from '../storage/line-file.ts';
import type { Recovery } from '../storage/recovery.ts';
import { removeDerived } from './derived-files.ts';
import { mediaFilesIn, journalOf } from './media-folder.ts';
import type { MediaIndex } from './media-index.ts';
import { lineIn, type FileLine } from './media-lines.ts';
import { partsOfFileName, mediaPath, type MediaPlace } from './media-name.ts';
import { mediaKindOf } from './media-types.ts';
import { sniffFile } from './sniff.ts';

interface Reconciling {
  readonly dir: string;
  readonly rows: MediaIndex;
  readonly index: Pick<IndexDatabase, 'together'>;
  /** Appends lines to a month's journal. Returns a function that adds the lines to the index. */
  readonly write: (month: string, lines: readonly FileLine[]) => Promise<() => void>;
  /** Called before a journal's unusable lines are removed. If absent, a journal with such lines causes an error. */
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  readonly now: () => number;
  readonly log?: Pick<Log, 'warn'> | undefined;
  readonly signal: AbortSignal;
}

/**
 * Updates the index from a month's journal and files. Adds files that the journal doesn't list, because the process may
 * have been killed before it listed them. Completes interrupted deletions. `isTrusted`: whether the index counts as up
 * to date. If so, checks the files only if the journal has changed. Returns false if a file could not be added or
 * removed.
 * @throws PorchlightError: the errors of reconcileLines and appendLines
 */
export async function reconcileMonth(month: string, isTrusted: boolean, work: Reconciling): Promise<boolean> {
  const { dir, rows } = work;
  const hasChanged = await reconcileLines({
    ...work,
    ...{ file: journalOf(dir, month), name: month, files: rows.journals },
    forget: (most) => rows.forget(month, most),
    put(text) {
      const line = lineIn(text, month);
      if (line) rows.put(line);
      return line !== undefined;
    },
  });
  return hasChanged || !isTrusted ? compareFiles(month, work) : true;
}

async function compareFiles(month: string, work: Reconciling): Promise<boolean> {
  const { dir, rows, signal } = work;
  const known = rows.ofMonth(month);
  const present = await mediaFilesIn(join(dir, month));
  const files = [...new Set([...known.keys(), ...present])];
  let isWhole = true;
  for (let start = 0; start < files.length; start += reconcileBatch) {
    const unlisted: MediaPlace[] = [];
    for (const file of files.slice(start, start + reconcileBatch)) {
      const [place, state] = [{ month, file }, known.get(file)];
      if (!present.has(file)) {
        if (state === 'there') rows.setMissing(mediaPath(place), true);
      } else if (state === undefined) unlisted.push(place);
      else if (state === 'missing') rows.setMissing(mediaPath(place), false);
      else if (state === 'deleted' && !(await removeFiles(place, work))) isWhole = false;
    }
    if (!(await adopt(month, unlisted, work))) isWhole = false;
    await setImmediate();
    signal.throwIfAborted();
  }
  return isWhole;
}

/** Deletes a file and what was derived from it. Returns false, and logs the error, if they cannot be deleted. */
export async function removeFiles(
  { month, file }: MediaPlace,
  { dir, log }: Pick<Reconciling, 'dir' | 'log'>,
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

/** Adds files that no journal lists to the journal and the index. Returns false if a file could not be added. */
async function adopt(month: string, places: readonly MediaPlace[], work: Reconciling): Promise<boolean> {
  const { index, rows } = work;
  const found = await Promise.all(places.map((place) => lineOfFile(place, work)));
  const lines = found.filter((line) => line !== undefined);
  try {
    if (lines.length > 0) (await work.write(month, lines))();
    return lines.length === places.length;
  } catch (error) {
    // The journal could not be written, but the files exist, so add them to the index anyway. The next comparison tries
    // again to add them to the journal.
    index.together(() => {
      for (const line of lines) rows.put(line);
      rows.journals.set(month, { ...noLines, lines: 0 });
    });
    throw error;
  }
}

/** Returns the journal line for a file. Returns undefined if the file's content doesn't match its name. */
async function lineOfFile(place: MediaPlace, { dir, log }: Reconciling): Promise<FileLine | undefined> {
  const { month, file } = place;
  const parts = partsOfFileName(file);
  if (parts === undefined) return undefined;
  try {
    const type = await sniffFile(join(dir, month, file), parts.type);
    if (type !== parts.type) throw new Error(`its content is ${type}`);
    const { size, mtime } = await stat(join(dir, month, file));
    return {
      ...{ path: mediaPath(place), name: parts.name, type, kind: mediaKindOf(type), bytes: size },
      ...{ width: null, height: null, uploadedAt: withinMonth(mtime, month), copyOf: null, measured: false },
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
