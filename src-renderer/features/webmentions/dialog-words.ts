import { mentionsWords, numberWords } from './naming.ts';

export const closeWords = 'Close';

export const importWords = {
  title: 'Import from webmention.io',
  what: 'the import settings',
  intro:
    'Import the mentions that webmention.io received for your site, with authors, text and dates. You can import again at any time. Nothing is imported twice, and your decisions stay.',
  tokenKept: 'Your API key is stored with this computer’s other secrets.',
  token: 'Your webmention.io API key',
  tokenHelp: 'Sign in with your domain at ',
  tokenHelpEnd: ', then copy the API key.',
  showToken: 'Show the API key',
  missing: 'Paste the API key first.',
  failed: 'The import didn’t finish.',
  lastFailed: 'The last import didn’t finish. ',
  kept: 'Porchlight kept the mentions that it already imported. The next import continues from there.',
  forgetFailed: 'Porchlight could not remove the API key.',
  continue: 'Continue',
  again: 'Import again',
  start: 'Import',
  forget: 'Remove the API key',
  done: 'Done',
  progress: 'Import progress',
};

export const summaryWords = {
  heading: 'Last import',
  counts: { new: 'New', changed: 'Changed', removed: 'Removed', unchanged: 'Unchanged' },
  sentence: (imported: number, updated: number) =>
    `${numberWords(imported)} new, ${numberWords(updated)} changed`,
  compare: (total: number) => `webmention.io lists ${mentionsWords(total)} that are all here now.`,
  show: 'Show what changed',
  what: 'the details of the import',
  changed: 'Changed',
  removed: 'Removed',
  missing: 'No longer listed at webmention.io',
  more: (count: number) => `And ${numberWords(count)} more.`,
  nothing: 'No mention changed. New mentions are in the list, newest first.',
  noLongerListed: (count: number) =>
    `webmention.io no longer lists ${mentionsWords(count)} that you imported. Porchlight kept ${count === 1 ? 'it' : 'them'}, because that many removals are often a mistake.`,
  remove: (count: number) => `Remove ${mentionsWords(count)}`,
  removeFailed: 'Porchlight could not remove the mentions.',
  restore: (count: number) => `Restore ${mentionsWords(count)}`,
  restoreFailed: 'Porchlight could not restore the mentions.',
  removedDone: (count: number) => `Removed ${mentionsWords(count)}.`,
  restoredDone: (count: number) => `Restored ${mentionsWords(count)}.`,
};

export const exportWords = {
  title: 'Export all mentions',
  what: 'the suggested file',
  intro:
    'This saves every mention in one JF2 file, which is a kind of JSON. The file includes private, waiting, hidden and deleted mentions, so keep it where only you can read it.',
  path: 'Save the export to',
  pathHelp: 'A full path on the computer that runs Porchlight.',
  missing: 'Enter a full path for the file.',
  failed: 'The mentions were not exported.',
  done: (count: number) => `Exported ${mentionsWords(count)} to `,
  copy: 'the path of the file',
  save: 'Export',
};

export const blockWords = {
  title: 'Block',
  relay: (count: number) =>
    count === 1
      ? 'This site only forwarded the mention from somebody else. Blocking it also blocks everything else that it forwards. To block only the author, block the person.'
      : 'Some of these sites only forwarded mentions from somebody else. Blocking them also blocks everything else that they forward. To block only the authors, block the people.',
  unblock: 'You can unblock people and sites in Settings.',
  people: {
    titleMany: (count: number) => `Block ${count} people`,
    action: (count: number) => (count === 1 ? 'Block this person' : `Block ${count} people`),
    body: (count: number) =>
      `Porchlight refuses new mentions by ${count === 1 ? 'this person' : 'these people'}, whichever site sends them. It hides their mentions that are already here.`,
    done: (people: readonly string[]) => doneWords('Blocked', people, 'people'),
    undone: (people: readonly string[]) => doneWords('Unblocked', people, 'people'),
  },
  sites: {
    titleMany: (count: number) => `Block ${count} sites`,
    action: (count: number) => (count === 1 ? 'Block this site' : `Block ${count} sites`),
    body: (count: number) =>
      `Porchlight refuses new mentions from ${count === 1 ? 'this site and its' : 'these sites and their'} subdomains. It hides their mentions that are already here.`,
    done: (sites: readonly string[]) => doneWords('Blocked', sites, 'sites'),
    undone: (sites: readonly string[]) => doneWords('Unblocked', sites, 'sites'),
  },
};

/** Says what was blocked or unblocked: "Blocked spam.example.", "Unblocked 3 people." */
function doneWords(done: string, entries: readonly string[], many: 'people' | 'sites'): string {
  return `${done} ${entries.length === 1 ? entries.join('') : `${numberWords(entries.length)} ${many}`}.`;
}
