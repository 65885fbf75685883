import { isAbsolute, join, relative, sep } from 'node:path';
import {
  type DiskCode,
  isDiskCode,
  isUnreadableCode,
  PorchlightError,
  type UnreadableCode,
} from '../contract/error.ts';
import { nodeOperations } from './file-operations.ts';
import { verifiedRoot } from './held-folders.ts';
import { containsData, stampOf } from './file-facts.ts';
import { errorCode, isDiskFailure, writeFailure } from './storage-error.ts';

interface DiskWatchOptions {
  readonly dir: string;
  /** Called when `trouble` (the reason why nothing can be saved) begins, changes or ends. */
  readonly changed: () => void;
  /**
   * Called when postponed work should be retried. This is the case when `trouble` ends, or some time after a failed
   * write if the test of the disk succeeded.
   */
  readonly recovered: () => void;
  /** Called before each test of the disk. If it rejects, the test has failed. */
  readonly first?: () => Promise<void>;
  /** How often to check the folder, in ms. */
  readonly checkMs?: number | undefined;
}

export interface DiskWatch {
  /** The reason why nothing can be saved, with a message for the owner; undefined while saving works. */
  readonly trouble: Trouble | undefined;
  /** Tests the disk if `error` means that something could not be saved. Ignores all other errors. */
  failed(error: unknown): void;
  /** Connects the database. `isReplaced`: returns whether other files are at its path. */
  connect(database: { readonly isReplaced: boolean }): void;
  stop(): void;
}

/** `restart_needed`: other data is in the place of the data that is in use. */
type Trouble = { readonly code: DiskCode | 'restart_needed'; readonly words: string };

/** The size of the test file, in bytes: enough for a document of the usual size. */
const probeBytes = 65_536;

/**
 * Watches whether the data folder is still at its path, and whether its disk accepts writes. Tests the disk only after
 * a write has failed.
 */
export function watchDisk({
  dir,
  changed,
  recovered,
  first = () => Promise.resolve(),
  checkMs = 10_000,
}: DiskWatchOptions): DiskWatch {
  const probe = join(dir, '.disk-probe.tmp');
  let trouble: Trouble | undefined;
  let database = { isReplaced: false };
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let isChecking = false;
  const checking = setInterval(() => checkFolder(), checkMs).unref();

  function become(next: Trouble | undefined): void {
    if (next?.code === trouble?.code) return;
    trouble = next;
    changed();
    if (next === undefined) recovered();
  }

  async function check(): Promise<void> {
    isChecking = true;
    const wasTrouble = trouble !== undefined;
    try {
      await first();
      await nodeOperations.write(probe, ' '.repeat(probeBytes));
      become(database.isReplaced ? replaced(dir) : undefined);
      // The write failed, but this test succeeded. The problem may be over, so retry postponed work once.
      if (trouble) later(() => void check());
      else if (!wasTrouble) later(recovered);
    } catch (error) {
      const { code } = writeFailure(dir, error);
      if (code === 'storage_gone' && containsData(dir)) become(replaced(dir));
      else if (isDiskCode(code)) become({ code, words: wordsFor[code](dir) });
      later(() => void check());
    } finally {
      await nodeOperations.remove(probe).catch(() => undefined);
      isChecking = false;
    }
  }

  function checkFolder(): void {
    try {
      verifiedRoot(dir);
    } catch (error) {
      failed(error);
    }
  }

  function failed(error: unknown): void {
    if (isDiskFailure(error) && !stopped && !isChecking && timer === undefined) void check();
  }

  function later(work: () => void): void {
    if (stopped) return;
    timer = setTimeout(() => {
      timer = undefined;
      work();
    }, checkMs).unref();
  }

  return {
    get trouble() {
      return trouble;
    },
    failed,
    connect: (opened) => void (database = opened),
    stop(): void {
      stopped = true;
      clearTimeout(timer);
      clearInterval(checking);
    },
  };
}

const wordsFor: Record<DiskCode, (dir: string) => string> = {
  storage_gone: (dir) =>
    `The folder with your data (${dir}) is gone. Porchlight can’t save anything. Connect its disk or put the folder back; Porchlight then continues by itself.`,
  storage_full: () =>
    'The disk with your data is full: Free some space, and Porchlight continues to save by itself.',
  storage_unwritable: (dir) =>
    `The folder with your data (${dir}) can’t be written to. Porchlight can read your data but can’t save anything new. Check the disk and the folder’s permissions; Porchlight then continues by itself.`,
};

const replaced = (dir: string): Trouble => ({
  code: 'restart_needed',
  words: `Other data is in the place of the data that Porchlight uses (${dir}), for example a copy of the folder. Porchlight reads and writes nothing there. To use that data, restart Porchlight. Or put the earlier data back; Porchlight then continues by itself.`,
});

interface UnreadableFilesOptions {
  /** The data folder. Files outside it are ignored. */
  readonly dir: string;
  /** Called when a file is added to the list or leaves it. */
  readonly changed: () => unknown;
  /** How often the files are checked again, in ms. */
  readonly checkMs?: number;
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
export function watchUnreadable({ dir, changed, checkMs = 10_000 }: UnreadableFilesOptions) {
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
    timer ??= setInterval(() => void check(), checkMs).unref();
    changed();
  };
  watchers.add(report);

  async function check(): Promise<void> {
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

/** Returns a string that identifies the version of a readable file; otherwise `missing` or `unreadable`. */
async function stateOf(file: string): Promise<string> {
  try {
    await nodeOperations.read(file, Infinity);
    return await stampOf(file);
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? 'missing' : 'unreadable';
  }
}
