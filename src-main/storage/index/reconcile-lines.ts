import { setImmediate } from 'node:timers/promises';
import { PorchlightError } from '../../contract/error.ts';
import { nodeOperations } from '../file-operations.ts';
import { appendLines, lineFileState, noLines, pickLines, readLines, type Line } from '../line-file.ts';
import { keepAside, type Recovery } from '../recovery.ts';
import type { IndexDatabase } from './index-database.ts';
import type { IndexedFile, IndexedFiles } from './indexed-files.ts';

/** A file of lines, and the index rows that are made from it. */
export interface ReconciledFile {
  readonly file: string;
  /** The name of the file in `files`. */
  readonly name: string;
  readonly files: IndexedFiles;
  readonly index: Pick<IndexDatabase, 'together'>;
  /** Removes up to `most` index rows of the file. Returns false if the file had none. */
  readonly forget: (most: number) => boolean;
  /** Adds the content of a line to the index. Returns false if the line is fully or partly unusable. */
  readonly put: (line: string) => boolean;
  /** Returns the lines that replace the unusable lines, each with its line break. */
  readonly mended?: () => string;
  /** Called before unusable lines are replaced. If absent, a file with unusable lines causes an error. */
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** How many lines to process before other work can run. */
const reconcileBatch = 50;

/**
 * Updates the index from a file of lines. If lines have only been added since the file was indexed, reads only those
 * lines. Otherwise, indexes the whole file again. Removes unusable lines from the file, and keeps a copy of the
 * original. Returns false if the file has not changed since it was indexed.
 * @throws PorchlightError `storage_unreadable`, `storage_busy`, `storage_broken`, and errors from appendLines and
 * `put`. If the start of the file can't be read, the index keeps its rows.
 */
export async function reconcileLines(work: ReconciledFile): Promise<boolean> {
  const { file, name, files } = work;
  const state = await lineFileState(file);
  const known = files.get(name);
  const isSame = known?.size === state.size && known.inode === state.inode && known.changed === state.changed;
  if (isSame) return false;
  const goesOn =
    known?.inode === state.inode &&
    known.size < state.size &&
    (known.size === 0 || (await lineAt(file, known.size - 1)) === '');
  if (!goesOn) {
    await lineAt(file, 0); // throws if the file can't be read, before any row is removed
    await forgetAll(work);
  }
  if (state.inode === noLines.inode) {
    files.remove(name);
    return true;
  }
  const begin: IndexedFile = { ...state, ...(goesOn ? { size: known.size, lines: known.lines } : noneRead) };
  const { lines, unusable } = await readOn(begin, work);
  if (unusable.size > 0) await mend(lines, unusable, work);
  return true;
}

const noneRead = { size: 0, lines: 0 };

/**
 * Returns the text between `offset` (in bytes) and the next line break; undefined if there is no line break. At the end
 * of the last indexed line, the text is empty. If it isn't, somebody has edited the file in place.
 */
async function lineAt(file: string, offset: number): Promise<string | undefined> {
  for await (const [line] of readLines(file, offset)) return line?.text;
  return undefined;
}

async function forgetAll({ name, files, forget, signal }: ReconciledFile): Promise<void> {
  // The process may be killed while it removes rows, so mark the file as not indexed first.
  files.set(name, { ...noLines, lines: 0 });
  while (forget(reconcileBatch)) {
    await setImmediate();
    signal.throwIfAborted();
  }
}

/**
 * Adds the lines after `begin` to the index. Returns the number of lines in the file, and the numbers of the unusable
 * lines.
 */
async function readOn(
  begin: IndexedFile,
  { file, name, files, index, put, signal }: ReconciledFile,
): Promise<{ lines: number; unusable: ReadonlySet<number> }> {
  const unusable = new Set<number>();
  let lines = begin.lines;
  for await (const read of readLines(file, begin.size))
    for (let start = 0; start < read.length; start += reconcileBatch) {
      const some = read.slice(start, start + reconcileBatch);
      index.together(() => {
        for (const line of some) readLine(line);
        note(some.at(-1)?.end ?? begin.size);
      });
      await setImmediate();
      signal.throwIfAborted();
    }
  if (lines === begin.lines) note(begin.size);
  return { lines, unusable };

  function readLine({ text }: Line): void {
    if (text !== '' && !put(text)) unusable.add(lines);
    lines += 1;
  }

  /**
   * Records how far the file has been indexed. If some lines are unusable, the file counts as not indexed until those
   * lines are replaced.
   */
  function note(size: number): void {
    files.set(name, unusable.size === 0 ? { ...begin, size, lines } : { ...noLines, lines: 0 });
  }
}

/** Keeps a copy of the file, and replaces its unusable lines. */
async function mend(lines: number, unusable: ReadonlySet<number>, work: ReconciledFile): Promise<void> {
  const { file, name, files, mended = () => '', onRecovered, now } = work;
  if (onRecovered === undefined)
    throw new PorchlightError('storage_broken', `"${file}" has lines that cannot be read.`, 500);
  const movedTo = await keepAside(file, { operations: nodeOperations, now: () => new Date(now()) });
  await onRecovered({ file, movedTo, recoveredFrom: 'rest' });
  const picked = await pickLines(file, (number) => !unusable.has(number));
  const added = mended();
  const state = added === '' ? picked : await appendLines(file, picked.size, added);
  files.set(name, { ...state, lines: lines - unusable.size + added.split('\n').length - 1 });
}
