import { PorchlightError } from '../../contract/error.ts';

/** Long work with files: it tells how far it is and can be ended. */
export interface Work {
  readonly signal: AbortSignal;
  /** Called often. In bytes; `total` is 0 while nobody knows. */
  readonly progress: (done: number, total: number, words: string) => void;
}

/** @throws PorchlightError `cancelled` once the owner has ended the work. */
export function goOn({ signal }: Pick<Work, 'signal'>): void {
  if (signal.aborted) throw new PorchlightError('cancelled', 'Cancelled. Nothing was changed.', 409);
}
