import type { Outcome, Settlement } from '../../../src-main/contract/sign-ins.ts';

/**
 * How a sign-in ended. `replaced`: its browser started again. `madeRoom`: one from another network took its place.
 * `cancelled`: its browser cancelled it. `gone`: the window doesn't know how.
 */
export type Ending = Outcome | 'replaced' | 'madeRoom' | 'cancelled' | 'gone';

/** Returns whether the owner answered a sign-in. */
export function isAnswered(ending: Ending): boolean {
  return ending === 'approved' || ending === 'denied';
}

/** Returns how a sign-in ended, as the server tells. */
export function endingOf({ outcome, replaced, madeRoom, cancelled }: Settlement): Ending {
  if (cancelled === true) return 'cancelled';
  if (madeRoom === true) return 'madeRoom';
  return replaced === true ? 'replaced' : outcome;
}
