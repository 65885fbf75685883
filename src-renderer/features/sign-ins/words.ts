import type { Outcome } from '../../../src-main/contract/sign-ins.ts';
import type { Ending } from './outcome.ts';

export const signInWords = {
  title: 'Sign-ins',
  about: 'Apps that ask to sign you in. Only you can approve them: here, or on a phone that you paired.',
  list: 'the waiting sign-ins',
  empty:
    'No sign-in is waiting. To start one, open an app that offers “Sign in with your domain” and enter your domain. You then have ten minutes to approve it here.',
  test: 'Try a test sign-in',
  withheld: (count: number) =>
    count === 1
      ? 'One more sign-in is waiting. Many apps asked, so Porchlight doesn’t show it yet.'
      : `${count} more sign-ins are waiting. Many apps asked, so Porchlight doesn’t show them yet.`,
  showWithheld: 'Show all waiting sign-ins',
  gone: 'This sign-in is no longer waiting for approval.',
};

export const cardWords = {
  question: 'Sign in to {app} ({host})?',
  questionOfHost: 'Sign in to {host}?',
  from: (device: string) => `The request comes from ${device}.`,
  matchCode: 'Code',
  compare: 'Your browser shows a code too. Approve only if you started this sign-in and the codes match.',
  onlyAddress: 'The app learns your address and nothing else. It can’t do anything for you.',
  both: 'Let it read mentions and publish posts',
  aboutBoth: 'Mentions are the words of strangers. They could tell the app what to publish in your name.',
  stays: 'Stay signed in',
  endless: 'Until I sign the app out',
  clientId: 'The app’s address',
  redirectUri: 'You return to',
  failed: 'Your answer didn’t arrive.',
  approve: 'Approve',
  deny: 'Deny',
  ignoredClick: 'This moved. Check the code, then click again.',
};

export const historyWords = {
  title: 'Earlier sign-ins',
  list: 'the earlier sign-ins',
  by: (name: string) => `with ${name}`,
  undo: 'Undo',
  undoOf: (name: string) => `Undo the sign-in to ${name}`,
  undone: (name: string) => `${name} has no access any more.`,
};

/** How a sign-in ended, in a list. */
export const outcomeWords: Record<Outcome, string> = {
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Not answered in time',
};

/** The beginning of the line about a sign-in that ended; the app's name follows. */
const endingTitles: Record<Ending, string> = {
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  replaced: 'Started again',
  madeRoom: 'Replaced',
  cancelled: 'Cancelled',
  gone: 'No longer waiting',
};

/** Returns that beginning. `phone`: the name of the phone with which the owner answered, if it was one. */
export const endingTitle = (ending: Ending, phone: string | undefined): string =>
  phone === undefined ? endingTitles[ending] : `${endingTitles[ending]} on ${phone}`;

/** What follows from it. */
export const endingWords: Record<Ending, string> = {
  approved: 'Go back to your browser.',
  denied: 'The app gets no access.',
  expired: 'You didn’t answer in time. To sign in, start again in the app.',
  replaced: 'This browser started the sign-in again. Approve only the newest request.',
  madeRoom: 'A newer sign-in took its place.',
  cancelled: 'The sign-in was cancelled in the browser. The app gets no access.',
  gone: signInWords.gone,
};

/** About an approval that was given on a phone. */
export const phoneWords = {
  undo: 'If it wasn’t you, undo it.',
  ended: 'The app has no access any more.',
  failed: 'The approval wasn’t undone.',
};

export const codeWords = { code: (matchCode: string) => `Code ${matchCode}` };
