import type { Outcome, Settlement } from '../../../src-main/contract/sign-ins.ts';

/**
 * How a sign-in ended. `replaced`: its browser started again. `madeRoom`: one from another network took its place.
 * `gone`: the window doesn't know how.
 */
export type Ending = Outcome | 'replaced' | 'madeRoom' | 'gone';

/** Returns how a sign-in ended, as the server tells. */
export function endingOf({ outcome, replaced, madeRoom }: Settlement): Ending {
  if (madeRoom === true) return 'madeRoom';
  return replaced === true ? 'replaced' : outcome;
}
