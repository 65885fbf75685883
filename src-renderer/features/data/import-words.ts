import type { ArchiveFormat, PastImport } from '../../../src-main/contract/post-import.ts';
import type { PostKind } from '../../../src-main/contract/posts.ts';

/** The words for importing posts. */

const number = (count: number) => count.toLocaleString('en');
const counted = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`;
const posts = (count: number) => counted(count, 'post', 'posts');
const files = (count: number) => counted(count, 'file', 'files');

const kinds: Readonly<Record<PostKind, readonly [one: string, many: string]>> = {
  note: ['note', 'notes'],
  article: ['article', 'articles'],
  photo: ['photo', 'photos'],
  video: ['video', 'videos'],
  audio: ['audio post', 'audio posts'],
  reply: ['reply', 'replies'],
  like: ['like', 'likes'],
  repost: ['repost', 'reposts'],
  bookmark: ['bookmark', 'bookmarks'],
  rsvp: ['RSVP', 'RSVPs'],
  event: ['event', 'events'],
  checkin: ['check-in', 'check-ins'],
};

export const formatWords: Readonly<Record<ArchiveFormat | 'auto', string>> = {
  auto: 'Detect automatically',
  mastodon: 'Mastodon archive',
  twitter: 'Twitter archive',
  wxr: 'WordPress export (WXR)',
  microblog: 'micro.blog archive or JSON Feed',
  markdown: 'Markdown files with front matter',
};

export const importWords = {
  heading: 'Import posts',
  about:
    'From a Mastodon, Twitter, WordPress or micro.blog archive, or a folder of Markdown files. Dates and pictures are kept, and no other site is notified.',
  loading: 'your imports',
  path: 'Archive',
  aboutPath: 'The full path of a file or folder on this computer.',
  chooseFile: 'Choose file…',
  chooseFolder: 'Choose folder…',
  format: 'Format',
  check: 'Check',
  notChecked: 'The archive wasn’t imported.',
  bar: 'Import progress',
  cancel: 'Cancel import',
  cancelCheck: 'Cancel',
  action: (count: number) => `Import ${posts(count)}`,
  failed: 'The import didn’t finish.',
};

export const reportWords = {
  /** `count`: the number of posts that would be imported. */
  found: (found: number, count: number) => {
    if (count === 0) return `Found ${posts(found)}. There is nothing new to import.`;
    return found === count
      ? `Found ${posts(found)}.`
      : `Found ${posts(found)}. ${number(count)} can be imported.`;
  },
  kinds: (counts: readonly { kind: PostKind; count: number }[], fileCount: number) =>
    [
      ...counts.map(({ kind, count }) => counted(count, ...kinds[kind])),
      ...(fileCount > 0 ? [files(fileCount)] : []),
    ].join(', '),
  skipped: 'Skipped',
  reason: (why: string, count: number) => `${why.replace(/\.$/, '')}: ${number(count)}`,
  details: (count: number) => `Show what is skipped (the first ${number(count)})`,
  allDetails: 'Show what is skipped',
  losses: (count: number) => `${posts(count)} ${count === 1 ? 'loses' : 'lose'} something`,
  lossDetails: 'Show what they lose',
  firstLosses: (count: number) => `Show what they lose (the first ${number(count)})`,
  samples: 'How posts will look',
  files: (count: number) => `with ${files(count)}`,
  noDate: 'no date',
};

export const outcomeWords = {
  done: (count: number) => (count === 0 ? 'There was nothing new to import.' : `Imported ${posts(count)}.`),
  cancelled: (count: number) =>
    `Cancelled. Porchlight keeps the ${posts(count)} that it has imported. Import again to continue, or undo.`,
  undo: 'Undo this import…',
  undone: (deleted: number, fileCount: number) =>
    `Undone: deleted ${posts(deleted)}${fileCount > 0 ? ` and ${files(fileCount)}` : ''}.`,
  kept: (count: number) => `${number(count)} kept:`,
};

const states: Readonly<Record<PastImport['state'], string>> = {
  running: 'running',
  done: '',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
  undone: 'undone',
};

export const pastWords = {
  heading: 'Past imports',
  contents: ({ posts: postCount, files: fileCount, state }: PastImport) =>
    [
      posts(postCount),
      ...(fileCount > 0 ? [files(fileCount)] : []),
      ...(states[state] === '' ? [] : [states[state]]),
    ].join(', '),
  continue: 'Continue',
  continueName: (format: string, path: string) => `Continue: ${format}, ${path}`,
  undo: 'Undo…',
  undoName: (format: string, path: string) => `Undo…: ${format}, ${path}`,
  title: 'Undo this import?',
  means:
    'This deletes the posts that the import created and the files that it added. Posts that you have changed since are kept.',
  action: 'Undo import',
  failed: 'The import wasn’t undone.',
};
