import type { Outcome, Settlement } from '../../../src-main/contract/sign-ins.ts';

/**
 * How a sign-in ended. `replaced`: its browser asked again. `madeRoom`: one from another network took its place. `gone`:
 * it is not known how.
 */
export type Ending = Outcome | 'replaced' | 'madeRoom' | 'gone';

/** Returns how a sign-in ended, as the server tells. */
export function endingOf({ outcome, replaced, madeRoom }: Settlement): Ending {
  if (madeRoom === true) return 'madeRoom';
  return replaced === true ? 'replaced' : outcome;
}

/** How a sign-in ended, in words. */
export const outcomeWords: Record<Outcome, string> = {
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Not answered in time',
};

/** The beginning of the line about a sign-in that ended; the app's name follows. */
export const endingTitles: Record<Ending, string> = {
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  replaced: 'Asked again',
  madeRoom: 'Replaced',
  gone: 'Not waiting',
};

/** What follows from it. */
export const endingWords: Record<Ending, string> = {
  approved: 'Go back to your browser.',
  denied: 'The app gets no access.',
  expired: 'Nobody answered in time. If you started it, sign in at the app again.',
  replaced: 'This browser started the sign-in again. Approve only the newest request.',
  madeRoom: 'A newer sign-in took its place.',
  gone: 'This sign-in is no longer waiting for approval.',
};
