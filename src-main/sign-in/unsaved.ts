import { type ErrorCode, PorchlightError } from '../contract/error.ts';
import type { Problem } from '../contract/status.ts';

export type Unsaved = ReturnType<typeof createUnsaved>;

/**
 * Creates the list of the revocations that could not be saved, because nothing can be written or even the reserve was
 * too small. They hold in memory, and are saved as soon as that is possible. `failed` gets each error that kept one from
 * the disk; `changed` is called when the list changes.
 */
export function createUnsaved(changed: () => void, failed: (error: unknown) => void) {
  const sources: { words: () => string[]; retry: () => Promise<void> }[] = [];
  let reason: ErrorCode = 'storage_full';
  let retrying: Promise<void> | undefined;
  const words = () => sources.flatMap((one) => one.words());

  async function retryAll(): Promise<void> {
    if (words().length === 0) return;
    for (const one of sources) await one.retry();
    if (words().length === 0) changed();
  }

  return {
    /**
     * Adds something that can be revoked. `words`: returns what of it was revoked and isn't on disk, for the owner.
     * `retry`: tries to save that, and never rejects because of the disk.
     */
    add: (source: (typeof sources)[number]) => void sources.push(source),

    /**
     * Notes why a revocation could not be saved.
     * @throws any error that doesn't come from the storage
     */
    refused(error: unknown): void {
      if (error instanceof PorchlightError) reason = error.code;
      failed(error);
      changed();
      if (!(error instanceof PorchlightError)) throw error;
    },

    /** Tries to save all of them. Never rejects because of the disk. */
    retry: (): Promise<void> => (retrying ??= retryAll().finally(() => (retrying = undefined))),

    /** Returns the problem with revocations that are not on disk; undefined if all are. */
    problem(): Problem | undefined {
      const found = words();
      if (found.length === 0) return undefined;
      const after = 'This already applies, but a crash of Porchlight or the computer would undo it.';
      const later = 'Porchlight saves it as soon as it can.';
      return {
        code: 'not_saved',
        message: `Not saved yet: ${reasonWords(reason)}. ${listed(found)}. ${after} ${later}`,
      };
    },

    /** Returns what is lost if the process ends now, for the owner; undefined if nothing is. */
    lossWords(): string | undefined {
      const found = words();
      if (found.length === 0) return undefined;
      return `Porchlight could not save this before it ended: ${listed(found)}. It no longer applies at the next start, so do it again then. The reason: ${reasonWords(reason)}.`;
    },
  };
}

function reasonWords(code: ErrorCode): string {
  switch (code) {
    case 'storage_full':
      return 'the disk is full';
    case 'storage_gone':
      return 'the data folder is gone';
    case 'storage_busy':
      return 'too many files are open on this computer';
    case 'storage_damaged':
      return 'the database is being repaired';
    default:
      return 'the data folder can’t be written to';
  }
}

/** The names in a list for the owner. */
const mostNamed = 5;

/** Returns the first few of some sentences, and how many others there are. */
function listed(words: readonly string[]): string {
  const named = words.slice(0, mostNamed).join('; ');
  return words.length > mostNamed ? `${named}; and ${words.length - mostNamed} more` : named;
}
