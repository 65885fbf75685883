import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { nodeOperations } from './file-operations.ts';
import { writeFailure } from './storage-error.ts';

/** How the disk under the data folder takes what is saved. */
export interface DiskWatch {
  /** Why nothing can be saved, for the owner; undefined while it can. */
  readonly trouble: { readonly code: string; readonly words: string } | undefined;
  /** Takes any error; one that says that the disk takes nothing begins the trouble. */
  failed(error: unknown): void;
  stop(): void;
}

export interface DiskWatchOptions {
  readonly dir: string;
  /** Called when the trouble begins and when it is over. */
  readonly changed: () => void;
  /** Called when it is over, after `changed`. */
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

  function become(next: DiskWatch['trouble']): void {
    if (next?.code === trouble?.code) return;
    trouble = next;
    changed();
    if (next === undefined) recovered();
  }

  async function look(): Promise<void> {
    try {
      await nodeOperations.write(probe, ' '.repeat(probeBytes));
      become(undefined);
    } catch (error) {
      become(wordsFor(writeFailure(dir, error).code, dir));
      lookLater();
    } finally {
      await nodeOperations.remove(probe).catch(() => undefined);
    }
  }

  function lookLater(): void {
    if (!stopped) timer = setTimeout(() => void look(), lookMs).unref();
  }

  return {
    get trouble() {
      return trouble;
    },
    failed(error) {
      if (trouble !== undefined || !isOfDisk(error)) return;
      become(wordsFor(error.code, dir));
      lookLater();
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
      ? `The disk with your data (${dir}) is full. What is here can be read, but nothing new is saved: make some room. Porchlight goes on by itself then.`
      : `The folder with your data (${dir}) can not be written to. What is here can be read, but nothing new is saved: check the disk and who may write there. Porchlight goes on by itself then.`;
  return { code, words };
}
