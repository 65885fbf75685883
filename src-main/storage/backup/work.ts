import { PorchlightError } from '../../contract/error.ts';

/** A long operation on files that reports its progress and can be cancelled. */
export interface Work {
  readonly signal: AbortSignal;
  /** Called often. `done` and `total` are in bytes; `total` is 0 while it is unknown. */
  readonly progress: (done: number, total: number, words: string) => void;
}

/**
 * Checks whether the work may continue.
 * @throws PorchlightError `cancelled` once the owner has cancelled it.
 */
export function goOn({ signal }: Pick<Work, 'signal'>): void {
  if (signal.aborted) throw new PorchlightError('cancelled', 'Cancelled. Nothing was changed.', 409);
}
