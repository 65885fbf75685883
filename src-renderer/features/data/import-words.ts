import type { ArchiveFormat, PastImport } from '../../../src-main/contract/post-import.ts';
import { postKinds } from '../../../src-main/contract/post-kinds.ts';
import type { PostKind } from '../../../src-main/contract/posts.ts';

/** The words for importing posts. */

const number = (count: number) => count.toLocaleString('en');
const counted = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`;
const posts = (count: number) => counted(count, 'post', 'posts');
const files = (count: number) => counted(count, 'file', 'files');

/** What an import consists of. */
interface Items {
  readonly format: ArchiveFormat;
  readonly posts: number;
  readonly mentions: number;
  readonly pages: number;
}

const comments = (count: number) => counted(count, 'comment', 'comments');

/** Names the posts, and the mentions or comments and the pages if there are any. */
function items({ format, posts: postCount, mentions, pages }: Items): string {
  const others = [
    ...(mentions > 0
      ? [format === 'wxr' ? comments(mentions) : counted(mentions, 'mention', 'mentions')]
      : []),
    ...(pages > 0 ? [counted(pages, 'page', 'pages')] : []),
  ];
  const parts = postCount > 0 || others.length === 0 ? [posts(postCount), ...others] : others;
  return parts.join(', ').replace(/, (?=[^,]*$)/, ' and ');
}

export const formatWords: Readonly<Record<ArchiveFormat | 'auto', string>> = {
  auto: 'Detect automatically',
  porchlight: 'Porchlight export',
  mastodon: 'Mastodon archive',
  twitter: 'Twitter archive',
  wxr: 'WordPress export (WXR)',
  microblog: 'micro.blog archive or JSON Feed',
  markdown: 'Markdown files with front matter',
};

export const importWords = {
  heading: 'Import posts',
  about:
    'From an export of Porchlight, a Mastodon, Twitter, WordPress or micro.blog archive, or a folder of Markdown files. Dates, pictures and the comments of WordPress are kept, and no other site is notified.',
  loading: 'your imports',
  path: 'Archive',
  aboutPath: 'The full path of a file or folder, for example /home/ada/archive.zip',
  chooseFile: 'Choose file…',
  chooseFolder: 'Choose folder…',
  format: 'Format',
  check: 'Check',
  notChecked: 'The archive wasn’t imported.',
  bar: 'Import progress',
  cancel: 'Cancel import',
  cancelCheck: 'Cancel',
  action: (chosen: Items, fileCount: number) => {
    const isOnlyFiles = chosen.posts + chosen.mentions + chosen.pages === 0;
    return `Import ${isOnlyFiles ? files(fileCount) : items(chosen)}`;
  },
  ownExport: 'This is my own export: keep the status of its mentions',
  aboutOwnExport:
    'Leave this off if somebody else gave you the file. Its mentions then wait for your approval, because anybody can write such a file.',
  failed: 'The import didn’t finish.',
};

export const reportWords = {
  /** `count`: the number of posts that would be imported. `hasMore`: whether there is anything else to import. */
  found: (found: number, count: number, hasMore: boolean) => {
    if (count === 0 && !hasMore) return `Found ${posts(found)}. There is nothing new to import.`;
    return found === count
      ? `Found ${posts(found)}.`
      : `Found ${posts(found)}. ${number(count)} can be imported.`;
  },
  kinds: (
    counts: readonly { kind: PostKind; count: number }[],
    { files: fileCount, ...others }: Omit<Items, 'posts'> & { readonly files: number },
  ) =>
    [
      ...counts.map(({ kind, count }) =>
        counted(count, postKinds[kind].one.replace(/^an? /, ''), postKinds[kind].many),
      ),
      ...(fileCount > 0 ? [files(fileCount)] : []),
      ...(others.mentions + others.pages > 0 ? [items({ ...others, posts: 0 })] : []),
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
  done: (imported: Items, fileCount: number) => {
    const isOnlyFiles = imported.posts + imported.mentions + imported.pages === 0;
    if (isOnlyFiles && fileCount === 0) return 'There was nothing new to import.';
    return `Imported ${isOnlyFiles ? files(fileCount) : items(imported)}.`;
  },
  cancelled: (imported: Items) =>
    `Cancelled. Porchlight keeps the ${items(imported)} that it has imported. Import again to continue, or undo.`,
  undo: 'Undo this import…',
  undone: (deleted: Items, fileCount: number) => {
    const others = deleted.mentions + deleted.pages > 0;
    if (fileCount === 0) return `Undone: deleted ${items(deleted)}.`;
    return `Undone: deleted ${items(deleted)}${others ? ', ' : ' '}and ${files(fileCount)}.`;
  },
  kept: (count: number) => `${number(count)} kept:`,
};

/** The words for the comments of an import. */
export const commentWords = {
  waiting: (count: number) =>
    `${comments(count)} ${count === 1 ? 'waits' : 'wait'} for your approval. Spam and pending comments aren’t imported.`,
  approve: 'Approve its comments',
  approveName: (format: string, path: string) => `Approve its comments: ${format}, ${path}`,
  approved: (count: number) => (count === 0 ? 'No comments were waiting.' : `Approved ${comments(count)}.`),
  failed: 'The comments weren’t approved.',
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
  contents: ({ format, posts: postCount, files: fileCount, mentions, pages, state }: PastImport) =>
    [
      posts(postCount),
      ...(fileCount > 0 ? [files(fileCount)] : []),
      ...(mentions + pages > 0 ? [items({ format, posts: 0, mentions, pages })] : []),
      ...(states[state] === '' ? [] : [states[state]]),
    ].join(', '),
  continue: 'Continue',
  continueName: (format: string, path: string) => `Continue: ${format}, ${path}`,
  undo: 'Undo…',
  undoName: (format: string, path: string) => `Undo…: ${format}, ${path}`,
  title: 'Undo this import?',
  means:
    'This deletes everything that the import added: posts, files, mentions, comments and pages. Anything that has changed since is kept.',
  action: 'Undo import',
  failed: 'The import wasn’t undone.',
};
