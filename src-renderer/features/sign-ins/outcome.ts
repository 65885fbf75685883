import type { Outcome } from '../../../src-main/contract/sign-ins.ts';

/** How a sign-in ended. `replaced`: its browser asked again. `gone`: it is not known how. */
export type Ending = Outcome | 'replaced' | 'gone';

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
  gone: 'Not waiting',
};

/** What follows from it. */
export const endingWords: Record<Ending, string> = {
  approved: 'Go back to your browser.',
  denied: 'The app gets no access.',
  expired: 'Nobody answered in time. If you started it, sign in at the app again.',
  replaced: 'This browser started the sign-in again. Approve only the newest request.',
  gone: 'This sign-in is no longer waiting for approval.',
};
