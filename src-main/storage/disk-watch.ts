import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { nodeOperations } from './file-operations.ts';
import { writeFailure } from './storage-error.ts';

/** How the disk under the data folder takes what is saved. */
export interface DiskWatch {
  /** Why nothing can be saved, for the owner; undefined while it can. */
  readonly trouble: { readonly code: string; readonly words: string } | undefined;
  /** Takes any error. After one that says that a disk takes nothing it is tried whether this one does. */
  failed(error: unknown): void;
  stop(): void;
}

export interface DiskWatchOptions {
  readonly dir: string;
  /** Called when the trouble begins and when it is over. */
  readonly changed: () => void;
  /** Called when it is over, after `changed`; and a while after a failure that was none of this disk. */
  readonly recovered: () => void;
  /** How often it is tried whether there is room again, in ms. */
  readonly lookMs?: number;
}

/** Enough for a document of the usual size. */
const probeBytes = 65_536;

/** Watches from the first write that failed until one succeeds again; costs nothing while all is well. */
export function watchDisk({ dir, changed, recovered, lookMs = 10_000 }: DiskWatchOptions): DiskWatch {
  const probe = join(dir, '.disk-probe.tmp');
  let trouble: DiskWatch['trouble'];
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let isLooking = false;

  function become(next: DiskWatch['trouble']): void {
    if (next?.code === trouble?.code) return;
    trouble = next;
    changed();
    if (next === undefined) recovered();
  }

  async function look(): Promise<void> {
    isLooking = true;
    const wasTrouble = trouble !== undefined;
    try {
      await nodeOperations.write(probe, ' '.repeat(probeBytes));
      become(undefined);
      // Another disk, or over already: what was put off is tried again, but not over and over.
      if (!wasTrouble) later(recovered);
    } catch (error) {
      become(wordsFor(writeFailure(dir, error).code, dir));
      later(() => void look());
    } finally {
      await nodeOperations.remove(probe).catch(() => undefined);
      isLooking = false;
    }
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
    failed(error) {
      if (stopped || isLooking || timer !== undefined || !isOfDisk(error)) return;
      void look();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

function isOfDisk(error: unknown): error is PorchlightError {
  return error instanceof PorchlightError && /^storage_(full|unwritable)$/.test(error.code);
}

function wordsFor(code: string, dir: string) {
  const words =
    code === 'storage_full'
      ? `The disk with your data (${dir}) is full. Porchlight can read your data but can’t save anything new. Free some space; Porchlight then continues by itself.`
      : `The folder with your data (${dir}) can’t be written to. Porchlight can read your data but can’t save anything new. Check the disk and the folder’s permissions; Porchlight then continues by itself.`;
  return { code, words };
}
