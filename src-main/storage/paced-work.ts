import { PorchlightError } from '../contract/error.ts';

/** A long operation on files that reports its progress and can be cancelled. */
export interface Work {
  readonly signal: AbortSignal;
  /** Called often. `done` and `total` are in bytes; `total` is 0 while the size of the work is unknown. */
  readonly progress: (done: number, total: number, words: string) => void;
}

/**
 * Throws if the owner has cancelled the work.
 * @throws PorchlightError `cancelled`
 */
export function goOn({ signal }: Pick<Work, 'signal'>): void {
  if (signal.aborted) throw new PorchlightError('cancelled', 'Cancelled. Nothing was changed.', 409);
}
