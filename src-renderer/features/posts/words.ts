import {
  type Delivery,
  type PostItem,
  type PostKind,
  withShortAddresses,
} from '../../../src-main/contract/posts.ts';
import type { FolderItem } from '../../../src-main/contract/site-folder.ts';
import { mediaParts, postKinds, responseProperties } from '../../../src-main/contract/post-kinds.ts';

export const pageWords = {
  title: 'Posts',
  about: 'Everything that you and your apps have posted, newest first.',
  newPost: 'New post',
  first: 'Write your first post',
  list: 'Your posts',
  loads: 'your posts',
  showAll: 'Show all posts',
  noneDeleted: 'No deleted posts. If you delete a post, you can restore it here.',
  noMatch: 'No posts match these filters.',
  noneYet: (site: string) =>
    `No posts yet. Porchlight saves the posts that you write here or in an app on this computer. Public posts appear on ${site}.`,
  olderFailed: 'Porchlight couldn’t load your older posts.',
};

export const rowWords = {
  /** Replaces the title of a post that has neither a name nor text. */
  untitled: (kind: PostKind) => `${postKinds[kind].name} without text`,
  spokenKind: (kind: PostKind) => `${postKinds[kind].name}: `,
  actions: 'Actions',
};

/** The marks of a post that not everyone can read. */
const markWords = {
  deleted: 'Deleted',
  draft: 'Draft',
  scheduled: 'Scheduled',
  unlisted: 'Unlisted',
  private: 'Private',
};

/** A post whose page isn’t live yet. */
export const liveWords = {
  mark: {
    waiting: 'Waiting',
    building: 'Building',
    late: 'Late',
    conflict: 'Conflict',
  } satisfies Record<FolderItem['state'], string>,
  building: (site: string) => `The newest version of this post isn’t live on ${site} yet.`,
  more: 'Show all posts that aren’t live',
};

/** Posts of which something newer may be missing after a repair of the database. */
export const damagedWords = {
  title: 'Posts to look at',
  about: (name: string) =>
    `The database was damaged, and “${name}” may be older than what you saved. Nobody can read this post until you show it again.`,
  lost: (name: string) =>
    `The file of “${name}” is damaged, and Porchlight has no other copy of it. Restore the file from a backup, then choose “Read edited files”.`,
  marks: (marks: readonly string[]) => `The post is: ${marks.join(', ')}.`,
  restore: 'Show again',
  restoreNamed: (name: string) => `Show again: “${name}”`,
  failed: 'Porchlight couldn’t show the post again.',
};

/** Files of posts that somebody edited outside Porchlight. */
export const fileWords = {
  title: 'Edited files',
  changed: (count: number) =>
    count === 1 ? 'The file of 1 post was edited.' : `The files of ${count} posts were edited.`,
  added: (count: number) =>
    count === 1
      ? '1 file is of no post that Porchlight knows.'
      : `${count} files are of no post that Porchlight knows.`,
  missing: (count: number) =>
    count === 1 ? 'The file of 1 post is gone.' : `The files of ${count} posts are gone.`,
  ended: (count: number) =>
    count === 1
      ? '1 file is older than its post, which you deleted or hid since then.'
      : `${count} files are older than their posts, which you deleted or hid since then.`,
  unreadable: (count: number) => (count === 1 ? '1 file can’t be read.' : `${count} files can’t be read.`),
  more: (count: number) => `and ${count} more`,
  read: 'Read edited files',
  readDone: 'The files were read. Undo an edit under “Versions” of its post.',
  write: 'Write the files again',
  delete: 'Delete the posts…',
  deleteTitle: 'Delete the posts whose files are gone?',
  deleteAbout: (count: number) =>
    `${count === 1 ? '1 post' : `${count} posts`} will be deleted. You can restore deleted posts under Posts.`,
  deleteAction: 'Delete',
  bringBack: 'Bring back',
  bringBackNamed: (file: string) => `Bring back ${file}`,
  failed: 'Porchlight couldn’t read the files.',
};

export const filterWords = {
  search: 'Search your posts',
  kind: 'Kind',
  allKinds: 'All kinds',
  status: 'Status',
  statuses: {
    '': 'All',
    published: 'Published',
    draft: 'Drafts',
    scheduled: 'Scheduled',
    deleted: 'Deleted',
  },
};

export const previewWords = {
  title: 'Your post',
  loads: 'this post',
  view: 'View',
  viewOn: (site: string) => `View on ${site}`,
  address: 'address',
  publish: 'Publish',
  edit: 'Edit',
  duplicate: 'Duplicate',
  undoLast: 'Undo last change',
  delete: 'Delete',
  restore: 'Restore',
};

/** What Porchlight did with a post. The title of the post follows, in quotation marks. */
export const actionWords = {
  deleted: 'Deleted:',
  restored: 'Restored:',
  published: 'Published:',
  scheduled: 'Scheduled:',
  undone: 'Undid the last change to',
  versionRestored: 'Restored an earlier version of',
  nothingToUndo: 'Nothing to undo. There is no earlier version of',
  notDeleted: 'Couldn’t delete',
  notRestored: 'Couldn’t restore',
  notPublished: 'Couldn’t publish',
  notDuplicated: 'Couldn’t duplicate',
  notUndone: 'Couldn’t undo the last change to',
  hasEdits: 'It has unsaved edits. Choose Edit, then publish it there.',
  undo: 'Undo',
};

export const historyWords = {
  title: (count: number) => `Change history (${count})`,
  failed: 'Porchlight couldn’t load the changes to this post.',
  you: 'You',
  /** Replaces the name of an app that has none. */
  anApp: 'An app',
  changed: (what: string) => `{who} changed ${what}, {when}`,
  show: 'Show what changed',
  /** `when`: the time of the change. */
  showNamed: (when: string) => `Show what changed on ${when}`,
  loads: 'this change',
  titlePart: 'Title:',
  removed: 'Removed:',
  added: 'Added:',
  restore: 'Restore this version',
  /** `when`: the time of the change that replaced the version. */
  restoreNamed: (when: string) => `Restore this version, replaced on ${when}`,
};

/** The properties of a post, as they are called in the change history. */
const propertyWords = new Map<string, string>([
  ['content', 'the text'],
  ['name', 'the title'],
  ['summary', 'the summary'],
  ...Object.entries(mediaParts),
  ['category', 'the categories'],
  ['post-status', 'the status'],
  ['visibility', 'who can read it'],
  ['published', 'the date'],
  ...responseProperties.map(({ name, part }) => [name, part] as const),
  ['rsvp', 'the answer'],
  ['location', 'the place'],
  ['checkin', 'the place'],
  ['syndication', 'the links to copies'],
  ['syndicate-to', 'the cross-posting targets'],
]);

/** Returns the names of properties as a list in a sentence: "the text and the photos". */
export function changesInWords(properties: readonly string[]): string {
  const order = [...propertyWords.keys()];
  const known = order.filter((name) => properties.includes(name));
  const words = new Set(known.map((name) => propertyWords.get(name) ?? ''));
  if (words.size === 0 || properties.length > known.length)
    words.add(words.size === 0 ? 'details' : 'other details');
  return new Intl.ListFormat('en-GB').format(words);
}

export const sentWords = {
  title: 'Webmentions sent',
  failed: 'Porchlight couldn’t load the webmentions that it sent for this post.',
  showAll: (count: string) => `Show all ${count}`,
  openCopy: (host: string) => `Open the copy on ${host}`,
  /** For a post that a service has copied. Edits aren’t sent there by themselves. */
  sendAgain: 'Send again',
  retryFailed: 'Porchlight couldn’t send this webmention again.',
};

export const deliveryWords: Record<Delivery['state'], string> = {
  sent: 'Sent',
  waiting: 'Waiting',
  failed: 'Not sent',
  'no-endpoint': 'Doesn’t accept webmentions',
};

/** Returns the marks of a post that not everyone can read. */
export function marksOf({ status, visibility, deletedAt }: PostItem): string[] {
  return [
    ...(deletedAt === null ? [] : [markWords.deleted]),
    ...(status === 'draft' || status === 'scheduled' ? [markWords[status]] : []),
    ...(visibility === 'unlisted' || visibility === 'private' ? [markWords[visibility]] : []),
  ];
}

/** Returns the title of a post: its name, else the start of its text with short addresses, else its kind. */
export function postTitle({ name, summary, kind }: PostItem): string {
  return name || withShortAddresses(summary) || rowWords.untitled(kind);
}
