import type { Finding } from '../../../src-main/contract/reach.ts';

export const setupWords = {
  title: 'Set-up',
  about: 'Your home page needs links that point to this Porchlight.',
  aboutOwn: 'Your public address is your home page, so you have nothing to paste.',
  again: 'Go through the set-up again',
  check: {
    title: 'Check',
    about:
      'Porchlight opens its own public address and your home page, as an app would, and reports what it finds.',
  },
  lines: {
    title: 'Lines for your home page',
    before: 'Paste them into the head of ',
    homePage: 'your home page',
    after: ', between <head> and </head>.',
    name: 'the lines for your home page',
  },
  local: {
    problem: 'Porchlight has no public address yet.',
    explanation: 'These lines work on this computer only. Before you paste them,',
    link: 'choose how the web can reach you',
  },
  signIn: {
    title: 'Sign in to an app',
    before:
      'Open any app or site that offers “Sign in with your domain”, and enter your address. Then approve it under ',
    link: 'Sign-ins',
  },
};

export const checkWords = {
  start: 'Check',
  again: 'Check again',
  running: 'Checking. This takes up to half a minute.',
  last: 'Last checked',
  failed: 'The check didn’t run.',
  reading: 'the last check',
  movedBefore: 'This result is for ',
  movedAfter: '. Your address has changed since then. Check again.',
};

const areaWords: Record<Finding['area'], string> = {
  address: 'Your public address',
  site: 'Your home page',
  computer: 'This computer',
};

export const findingWords = {
  levels: { pass: 'OK:', warning: 'Could be better:', fail: 'Problem:' },
  areas: areaWords,
  todo: 'What to do:',
  passed: (count: number) => (count === 1 ? '1 check passed' : `${count} checks passed`),
};

/** The one problem in place of a problem for each line, where the home page has none of the lines. */
export const missingLinesWords = {
  title: 'Your home page doesn’t point to this Porchlight yet',
  detail: 'Your home page has none of the lines.',
  fix: 'Paste the lines into the head of your home page.',
};

/** Returns the result of a check in one sentence. A home page without any of the lines is one finding here. */
export function summaryOf(findings: readonly Finding[]): string {
  const open = findings.filter(({ level }) => level !== 'pass');
  if (open.length === 0) return 'Everything works. Apps can find your sign-in.';
  if (open.length === 1 && open[0]?.id === 'link.all')
    return `${missingLinesWords.title}. Paste the lines, then check again.`;
  const failed = open.filter(({ level }) => level === 'fail').length;
  if (failed === 0)
    return open.length === 1
      ? 'Everything works. One thing could be better.'
      : `Everything works. ${open.length} things could be better.`;
  return open.length === 1 ? 'One thing needs your attention.' : `${open.length} things need your attention.`;
}
