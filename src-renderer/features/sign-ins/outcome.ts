import type { Outcome } from '../../../src-main/contract/sign-ins.ts';

/** How a sign-in ended, in words. */
export const outcomeWords: Record<Outcome, string> = {
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Not answered in time',
};
