import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { oneAtATime } from '../storage/one-at-a-time.ts';
import type { Log } from '../platform/log.ts';
import { durableJournal } from '../storage/durable-journal.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { readJournal } from '../storage/journal.ts';
import { folded, isFileLine, type FileLine, type IndexLine } from './index-line.ts';
import { filesIn, journalOf, thumbnailOf } from './media-folder.ts';
import { partsOfFileName, pathOf } from './media-name.ts';
import { kindOf } from './media-types.ts';
import { sniffFile } from './sniff.ts';

export interface MediaIndexOptions {
  /** The media folder. */
  dir: string;
  /** The month, such as `2026/11`. */
  month: string;
  log?: Pick<Log, 'warn'> | undefined;
}

/**
 * The index of a month's files. It is the only record of the names that their senders gave them, so each change is
 * durable when its promise resolves.
 */
export interface MediaIndex {
  /** Returns the files, newest first. A returned array is never changed later. */
  entries(): readonly FileLine[];
  get(file: string): FileLine | undefined;
  /** Returns whether a file once existed and was deleted, by Porchlight or by hand. */
  isGone(file: string): boolean;
  /** Adds a file, or replaces its entry. */
  put(file: string, line: FileLine): Promise<void>;
  /** Deletes a file and its entry for good; returns undefined if there is no such file. */
  remove(file: string): Promise<FileLine | undefined>;
}

/** A journal with fewer lines than this is not worth rewriting. */
const shortJournal = 200;

/**
 * Opens a month's index. Adds the files that it does not list: the process may have been killed before it listed them,
 * and no upload may be lost. Completes interrupted deletions. Open each index only once per process.
 */
export async function openMediaIndex({ dir, month, log }: MediaIndexOptions): Promise<MediaIndex> {
  const folder = join(dir, month);
  const [read, present] = await Promise.all([readJournal(journalOf(folder)), filesIn(folder)]);
  const { lines, whole: understood } = folded(read.lines, month);
  const journal = durableJournal(journalOf(folder), read);
  const turn = oneAtATime();
  let sorted: readonly FileLine[] | undefined;

  for (const file of present) {
    const line = lines.get(file);
    if (line === undefined) await attempt(file, () => adopt(file));
    else if (!isFileLine(line)) await attempt(file, () => removeFiles(file));
  }
  if (!read.whole || !understood || read.lines.length > Math.max(2 * lines.size, shortJournal))
    await attempt(journalOf(folder), () => journal.rewrite([...lines.values()]));

  /** Runs `work` for one file and logs a failure, so that one unusable file does not hide all the others. */
  async function attempt(file: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log?.warn({ err: error, file, dir: folder }, 'a file could not be put in order');
    }
  }

  async function adopt(file: string): Promise<void> {
    const parts = partsOfFileName(file);
    if (parts === undefined) return;
    const type = await sniffFile(join(folder, file), parts.type);
    if (type !== parts.type) throw new Error(`its content is ${type}`);
    const { size, mtime } = await stat(join(folder, file));
    const { name } = parts;
    const line: FileLine = {
      ...{ path: pathOf({ month, file }), name, type, kind: kindOf(type), bytes: size },
      ...{ width: null, height: null, uploadedAt: withinMonth(mtime, month), copyOf: null, measured: false },
    };
    lines.set(file, line); // the file exists, whether or not the index can be written now
    present.add(file);
    await journal.append([line]);
  }

  async function removeFiles(file: string): Promise<void> {
    await nodeOperations.remove(join(folder, file));
    await rm(thumbnailOf(folder, file), { force: true });
  }

  function lineOf(file: string): FileLine | undefined {
    const line = lines.get(file);
    return line !== undefined && isFileLine(line) && present.has(file) ? line : undefined;
  }

  function keep(file: string, line: IndexLine): void {
    lines.set(file, line);
    sorted = undefined;
  }

  return {
    entries: () =>
      (sorted ??= [...present]
        .map(lineOf)
        .filter((line) => line !== undefined)
        .sort(newestFirst)),
    get: lineOf,
    isGone: (file) => lines.has(file) && lineOf(file) === undefined,

    put: (file, line) =>
      turn(async () => {
        if (lines.has(file) && lineOf(file) === undefined) return; // deleted in the meantime
        await journal.append([line]);
        present.add(file);
        keep(file, line);
      }),

    remove: (file) =>
      turn(async () => {
        const line = lineOf(file);
        if (line === undefined) return undefined;
        const gone: IndexLine = { path: line.path, deleted: true };
        // The deletion is recorded first: if the process is killed before it deletes the file, the file is deleted when
        // the index is next opened.
        await journal.append([gone]);
        keep(file, gone);
        present.delete(file);
        await attempt(file, () => removeFiles(file));
        return line;
      }),
  };
}

/** Compares for sorting: newest first; files with the same time by path. */
function newestFirst(a: FileLine, b: FileLine): number {
  return (
    Date.parse(b.uploadedAt) - Date.parse(a.uploadedAt) || (a.path < b.path ? 1 : a.path > b.path ? -1 : 0)
  );
}

/**
 * Returns a file's time, or the start of `month` if the time lies in another month: lists must stay in order, although
 * copying a folder changes the times of its files.
 */
function withinMonth(moment: Date, month: string): string {
  const [start] = [`${month.replace('/', '-')}-01T00:00:00.000Z`];
  const text = moment.toISOString();
  return text.startsWith(start.slice(0, 8)) ? text : start;
}
