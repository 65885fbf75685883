import { isAbsolute, relative, sep } from 'node:path';
import { isUnreadableCode, type UnreadableCode } from '../contract/error-code.ts';
import { PorchlightError } from '../contract/error.ts';
import { nodeOperations } from './file-operations.ts';
import { stampOf } from './index/file-stamp.ts';
import { errorCode } from './storage-error.ts';

export interface UnreadableFilesOptions {
  /** The data folder. Files outside it are ignored. */
  readonly dir: string;
  /** Called when a file is added to the list or leaves it. */
  readonly changed: () => unknown;
  /** How often the files are checked again, in ms. */
  readonly lookMs?: number;
}

const advice: Record<UnreadableCode, string> = {
  storage_broken: 'It is damaged. If Porchlight has a copy of it, you can restore it in Posts.',
  storage_newer: 'A newer version of Porchlight wrote it. Update Porchlight, or restore a backup.',
  storage_migration: 'Porchlight couldn’t convert it from an older version. Restore a backup.',
  storage_unreadable: 'Check the file’s permissions and its disk.',
};
/** The maximum number of files on the list. A longer list would not help the owner. */
const mostListed = 20;

/** `code`: why a file can't be read; undefined if it can be. */
type Report = (file: string, code: UnreadableCode | undefined) => void;
const watchers = new Set<Report>();

/** Runs `read`. Reports to every watcher of the file's folder whether the file can't be read although it exists. */
export async function reportingUnreadable<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    const found = await read();
    for (const report of watchers) report(file, undefined);
    return found;
  } catch (error) {
    if (error instanceof PorchlightError && isUnreadableCode(error.code))
      for (const report of watchers) report(file, error.code);
    throw error;
  }
}

/**
 * Watches for files in `dir` that this version can't read. These files stay unchanged, and everything else keeps
 * working. A file leaves the list when it becomes readable, is replaced or is deleted.
 */
export function watchUnreadable({ dir, changed, lookMs = 10_000 }: UnreadableFilesOptions) {
  const files = new Map<string, { code: UnreadableCode; stamp: Promise<string> }>();
  let timer: NodeJS.Timeout | undefined;

  const report: Report = (file, code) => {
    if (code === undefined) {
      if (files.delete(file)) changed();
      return;
    }
    const name = relative(dir, file);
    if (name.startsWith('..') || isAbsolute(name) || files.has(file) || files.size >= mostListed) return;
    files.set(file, { code, stamp: stateOf(file) });
    timer ??= setInterval(() => void look(), lookMs).unref();
    changed();
  };
  watchers.add(report);

  async function look(): Promise<void> {
    for (const [file, { code, stamp }] of files) {
      const now = await stateOf(file);
      const isOver = code === 'storage_unreadable' ? now !== 'unreadable' : now !== (await stamp);
      if (!isOver || !files.delete(file)) continue;
      changed();
    }
    if (files.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** Returns one message for the owner per file. */
    list: () =>
      [...files].map(([file, { code }]) => {
        const name = relative(dir, file).split(sep).join('/');
        return { code, words: `Porchlight can’t read the file ${name}. ${advice[code]}` };
      }),
    stop(): void {
      watchers.delete(report);
      clearInterval(timer);
    },
  };
}

export type UnreadableFiles = ReturnType<typeof watchUnreadable>;

/** Returns a string that identifies the version of a readable file; otherwise `missing` or `unreadable`. */
async function stateOf(file: string): Promise<string> {
  try {
    await nodeOperations.read(file);
    return await stampOf(file);
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? 'missing' : 'unreadable';
  }
}
