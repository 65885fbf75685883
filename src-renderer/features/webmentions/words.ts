import type {
  Admission,
  Decision,
  MentionEvent,
  MentionRecord,
  ProcessCounts,
} from '../../../src-main/contract/webmentions.ts';
import { deedOf, mentionsWords, numberWords, pageName, personOf } from './naming.ts';

export const pageWords = {
  title: 'Webmentions',
  exportAll: 'Export all mentions',
  import: 'Import from webmention.io',
  view: 'View',
  views: { all: 'All mentions', pages: 'By page', chart: 'Over time' },
  allMentions: 'All mentions',
  allPages: 'All pages',
  mentionsOf: 'Mentions of',
  waiting: (count: string) =>
    count === '1'
      ? '1 mention is waiting for your approval.'
      : `${count} mentions are waiting for your approval.`,
  showWaiting: 'Show waiting mentions',
  review: 'Review',
  noLongerListed: (count: number) =>
    `webmention.io no longer lists ${mentionsWords(count)} that you imported. Porchlight kept ${count === 1 ? 'it' : 'them'}.`,
  showAll: 'Show all mentions',
  noneDeleted: 'No deleted mentions match these filters. You can restore deleted mentions here.',
  noMatch: 'No mentions match these filters.',
  noneYet:
    'Nobody has mentioned your pages yet. Likes, replies and links from other sites appear here. Sites find Porchlight by the link elements on your pages: see ',
  setup: 'Set-up',
  noneYetImport: '. If you used webmention.io before, import your mentions.',
  changeHold: 'Change in Settings',
  keys: {
    label: 'Keys:',
    move: 'move',
    open: 'opens',
    select: 'selects',
    approve: 'approves',
    hide: 'hides',
    delete: 'deletes',
    close: 'closes',
    or: 'or',
    spoken: 'Keys: a approves, h hides, Delete deletes, Escape closes.',
  },
};

export const holdWords = {
  nothing: 'New mentions appear on your pages right away.',
  strangers:
    'A new mention waits for your approval, unless you trust its site or approved a mention by the same person from there before.',
  everything: 'Every new mention waits for your approval.',
};

/** Says why a mention is shown or waits. */
export function admissionWords(admission: Admission, host: string): string {
  switch (admission) {
    case 'own':
      return 'Shown because it comes from your own site. Your own mentions aren’t counted.';
    case 'open':
      return 'Shown because new mentions appear right away.';
    case 'known':
      return `Shown because you trust ${host} or approved a mention by this person from there before.`;
    case 'stranger':
      return `Waiting for you because you haven’t approved a mention by this person from ${host} before. After you approve one, later ones appear right away.`;
    case 'closed':
      return 'Waiting for you because every new mention waits for approval.';
  }
}

export const filterWords = {
  search: 'Search mentions',
  type: 'Type',
  anyType: 'All types',
  status: 'Status',
  anyStatus: 'Any status',
  site: 'From site',
  anySite: 'From any site',
  clearSite: 'Show mentions from any site',
  notASite: 'Enter a site name such as example.com.',
};

export const listWords = {
  label: 'Webmentions',
  what: 'your mentions',
  olderFailed: 'Porchlight could not read the older mentions.',
  private: 'Private',
  own: 'Your own',
  select: (mention: MentionRecord) =>
    `Select: ${personOf(mention)} ${deedOf(mention)} ${pageName(mention.target, mention.targetTitle)}`,
  selection: 'Selected mentions',
  selectAll: (count: number) => `Select all shown (${numberWords(count)})`,
  selected: (count: number) => `${numberWords(count)} selected`,
  clear: 'Clear selection',
};

export const pagesWords = {
  label: 'Mentioned pages',
  what: 'the mentioned pages',
  noneShown: 'No approved mentions yet',
  waiting: (count: number) => `${numberWords(count)} waiting`,
  last: 'Last mentioned',
};

export const openedWords = {
  title: 'Webmention',
  author: 'Author',
  theirPage: 'Their page',
  comment:
    'An imported comment. Porchlight doesn’t read its former address, and approving it doesn’t approve later mentions by this person.',
  formerAddress: 'Former address',
  copyTheirs: 'the address of their page',
  original: 'Original',
  yourPage: 'Your page',
  copyYours: 'the address of your page',
  published: 'Published',
  received: 'Received',
  reply: 'Reply',
  onlySite: 'Show only this site',
  blockPerson: 'Block this person…',
  blockSite: 'Block this site…',
  blockPeople: 'Block people…',
  blockSites: 'Block sites…',
  hiddenByBlock: 'Hidden because you blocked its author or its site.',
  unblock: 'Unblock in Settings',
  moreFiles: (count: number) => `Their page has ${count} more.`,
  shortened: 'This mention was too long to keep in full. Their page has the rest.',
  history: 'History',
  snapshot: 'Their page when Porchlight last read it',
  read: 'Read',
  snapshotShortened: 'Porchlight kept only the beginning of their page.',
};

export const historyWords: Record<MentionEvent['what'], string> = {
  received: 'Received',
  imported: 'Imported',
  updated: 'Changed by its source',
  approved: 'Approved by you',
  held: 'Set to waiting by you',
  hidden: 'Hidden by you',
  deleted: 'Deleted by you',
  restored: 'Restored by you',
  removed: 'Removed by its source',
  dropped: 'No longer listed at webmention.io',
};

export const decisionButtons: Record<Exclude<Decision, 'held'>, string> = {
  approved: 'Approve',
  hidden: 'Hide',
  deleted: 'Delete',
  restored: 'Restore',
};

const decisionDone: Record<Decision, string> = {
  approved: 'Approved',
  held: 'Set to waiting',
  hidden: 'Hidden',
  deleted: 'Deleted',
  restored: 'Restored',
};

export const moderationWords = {
  done: (decision: Decision) => `${decisionDone[decision]}: `,
  doneMany: (decision: Decision, count: number) => `${decisionDone[decision]} ${mentionsWords(count)}.`,
  nothingChanged: 'Nothing changed.',
  refused: (count: number) =>
    `${mentionsWords(count)} could not be changed: withdrawn by ${count === 1 ? 'its author' : 'their authors'}, or no longer here.`,
  failed: (decision: Decision, why: string) => `Not ${decisionDone[decision].toLowerCase()}. ${why}`,
  undo: 'Undo',
  undone: 'Undone.',
  undoneSome: (count: number) => `Undone, except for ${mentionsWords(count)} that changed again since.`,
  undoFailed: (why: string) => `Not undone. ${why}`,
  unknown: 'The reason is unknown.',
};

export const checkWords = {
  button: 'Check for new mentions',
  failed: 'Porchlight could not check for new mentions.',
};

/** Says what a check found: "Checked 3 mentions: 1 new, 1 updated, 1 without a link to your pages." */
export function outcomeWords({
  processed,
  approved,
  updated,
  removed,
  failed,
  waiting,
}: ProcessCounts): string {
  const left = waiting === 0 ? '' : ` Porchlight will try ${mentionsWords(waiting)} again later.`;
  if (processed === 0) return `No new mentions.${left}`;
  const parts = [
    [approved, 'new'],
    [updated, 'updated'],
    [removed, 'withdrawn by their authors'],
    [failed, 'without a link to your pages'],
  ] as const;
  const shown = parts
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${numberWords(count)} ${words}`);
  return `Checked ${mentionsWords(processed)}${shown.length === 0 ? '' : `: ${shown.join(', ')}`}.${left}`;
}
