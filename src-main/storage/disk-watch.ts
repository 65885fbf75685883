import { join } from 'node:path';
import { isDiskCode, type DiskCode } from '../contract/error-code.ts';
import { nodeOperations } from './file-operations.ts';
import { verifiedRoot } from './held-folders.ts';
import { isDiskFailure, writeFailure } from './storage-error.ts';

export interface DiskWatchOptions {
  readonly dir: string;
  /** Called when `trouble` (the reason why nothing can be saved) begins, changes or ends. */
  readonly changed: () => void;
  /**
   * Called when postponed work should be retried. This is the case when `trouble` ends, or some time after a failed
   * write if the test of the disk succeeded.
   */
  readonly recovered: () => void;
  /**
   * Called before each test of the disk, to write what comes before everything else. Resolves with false if something
   * is left, which is tried again at the next test. Must not reject.
   */
  readonly first?: () => Promise<boolean>;
  /** How often to check the folder, in ms. */
  readonly lookMs?: number | undefined;
}

export interface DiskWatch {
  /** The reason why nothing can be saved, with a message for the owner; undefined while saving works. */
  readonly trouble: { readonly code: DiskCode; readonly words: string } | undefined;
  /** Tests the disk if `error` means that something could not be saved. Ignores all other errors. */
  failed(error: unknown): void;
  stop(): void;
}

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
  first = () => Promise.resolve(true),
  lookMs = 10_000,
}: DiskWatchOptions): DiskWatch {
  const probe = join(dir, '.disk-probe.tmp');
  let trouble: DiskWatch['trouble'];
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let isLooking = false;
  const looking = setInterval(() => lookForFolder(), lookMs).unref();

  function become(next: DiskWatch['trouble']): void {
    if (next?.code === trouble?.code) return;
    trouble = next;
    changed();
    if (next === undefined) recovered();
  }

  async function look(): Promise<void> {
    isLooking = true;
    const wasTrouble = trouble !== undefined;
    const isAllWritten = await first();
    try {
      await nodeOperations.write(probe, ' '.repeat(probeBytes));
      become(undefined);
      // The write failed, but this test succeeded. The problem may be over, so retry postponed work once.
      if (!wasTrouble && isAllWritten) later(recovered);
      if (!isAllWritten) later(() => void look());
    } catch (error) {
      const { code } = writeFailure(dir, error);
      if (isDiskCode(code)) become({ code, words: wordsFor[code](dir) });
      later(() => void look());
    } finally {
      await nodeOperations.remove(probe).catch(() => undefined);
      isLooking = false;
    }
  }

  function lookForFolder(): void {
    try {
      verifiedRoot(dir);
    } catch (error) {
      failed(error);
    }
  }

  function failed(error: unknown): void {
    if (isDiskFailure(error) && !stopped && !isLooking && timer === undefined) void look();
  }

  function later(work: () => void): void {
    if (stopped) return;
    timer = setTimeout(() => {
      timer = undefined;
      work();
    }, lookMs).unref();
  }

  return {
    get trouble() {
      return trouble;
    },
    failed,
    stop(): void {
      stopped = true;
      clearTimeout(timer);
      clearInterval(looking);
    },
  };
}

const wordsFor: Record<DiskCode, (dir: string) => string> = {
  storage_gone: (dir) =>
    `The folder with your data (${dir}) is gone, or another folder is in its place. Porchlight can’t save anything. Connect its disk or put the folder back; Porchlight then continues by itself. To use the folder that is there now, restart Porchlight.`,
  storage_full: (dir) =>
    `The disk with your data (${dir}) is full. Porchlight can read your data but can’t save anything new. Free some space; Porchlight then continues by itself.`,
  storage_unwritable: (dir) =>
    `The folder with your data (${dir}) can’t be written to. Porchlight can read your data but can’t save anything new. Check the disk and the folder’s permissions; Porchlight then continues by itself.`,
};
