import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { oneAtATime } from '../platform/one-at-a-time.ts';
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
  /** The folder of all files. */
  dir: string;
  /** `2026/11` */
  month: string;
  log?: Pick<Log, 'warn'> | undefined;
}

/** What a month's files are. It is the one record of their names, so what it acknowledges is on the disk. */
export interface MediaIndex {
  /** Newest first; the array never changes. */
  entries(): readonly FileLine[];
  get(file: string): FileLine | undefined;
  /** True where a file was, and was deleted, here or by hand. */
  isGone(file: string): boolean;
  /** Adds a file, or corrects what is said of it. */
  put(file: string, line: FileLine): Promise<void>;
  /** Forgets a file for good and removes it; undefined where there is none. */
  remove(file: string): Promise<FileLine | undefined>;
}

/** Below this a journal is not worth rewriting. */
const shortJournal = 200;

/**
 * Opens a month's index. A file that it does not name is taken in: a kill may have come between the two, and nothing
 * is ever lost. A deletion that was cut short is finished. Open it once in a process.
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

  /** One file that can not be used must not hide all others. */
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
    lines.set(file, line); // it is there, whether the index can be written now or not
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
        if (lines.has(file) && lineOf(file) === undefined) return; // deleted meanwhile
        await journal.append([line]);
        present.add(file);
        keep(file, line);
      }),

    remove: (file) =>
      turn(async () => {
        const line = lineOf(file);
        if (line === undefined) return undefined;
        const gone: IndexLine = { path: line.path, deleted: true };
        // The line first: whatever comes between, the file is deleted, at the latest when the month is opened next.
        await journal.append([gone]);
        keep(file, gone);
        present.delete(file);
        await attempt(file, () => removeFiles(file));
        return line;
      }),
  };
}

/** Newest first; files of one moment by their names. */
function newestFirst(a: FileLine, b: FileLine): number {
  return (
    Date.parse(b.uploadedAt) - Date.parse(a.uploadedAt) || (a.path < b.path ? 1 : a.path > b.path ? -1 : 0)
  );
}

/** A copied folder has new times: the month of a file is where it lies, so that lists stay in order. */
function withinMonth(moment: Date, month: string): string {
  const [start] = [`${month.replace('/', '-')}-01T00:00:00.000Z`];
  const text = moment.toISOString();
  return text.startsWith(start.slice(0, 8)) ? text : start;
}
