import type { Delivery } from '../../../src-main/contract/deliveries.ts';
import type { PostItem, PostKind } from '../../../src-main/contract/posts.ts';

export const pageWords = {
  title: 'Posts',
  about: 'Everything that you and your apps have posted, newest first.',
  newNote: 'New note',
  continueNote: 'Continue your note',
  list: 'Your posts',
  loads: 'your posts',
  showAll: 'Show all posts',
  noneDeleted: 'No deleted posts. If you delete a post, you can restore it here.',
  noMatch: 'No posts match these filters.',
  noneYet:
    'No posts yet. Porchlight saves the posts that you write here or in an app on this computer. Public posts appear on your site. Write your first note to try it.',
  olderFailed: 'Porchlight couldn’t load your older posts.',
};

/** The kinds of posts, in the order in which the filter lists them. */
export const kindWords: Record<PostKind, { readonly one: string; readonly many: string }> = {
  note: { one: 'Note', many: 'Notes' },
  article: { one: 'Article', many: 'Articles' },
  photo: { one: 'Photo', many: 'Photos' },
  video: { one: 'Video', many: 'Videos' },
  audio: { one: 'Audio', many: 'Audio' },
  reply: { one: 'Reply', many: 'Replies' },
  like: { one: 'Like', many: 'Likes' },
  repost: { one: 'Repost', many: 'Reposts' },
  bookmark: { one: 'Bookmark', many: 'Bookmarks' },
  rsvp: { one: 'RSVP', many: 'RSVPs' },
  event: { one: 'Event', many: 'Events' },
  checkin: { one: 'Check-in', many: 'Check-ins' },
};

export const rowWords = {
  /** Replaces the title of a post that has neither a name nor text. */
  untitled: (kind: PostKind) => `${kindWords[kind].one} without text`,
  spokenKind: (kind: PostKind) => `${kindWords[kind].one}: `,
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
  categories: 'Categories',
  open: 'Open on your site',
  address: 'address',
  publish: 'Publish',
  edit: 'Edit',
  duplicate: 'Duplicate',
  undoLast: 'Undo last change',
  delete: 'Delete',
  restore: 'Restore',
  photo: 'Photo:',
  contexts: {
    'in-reply-to': 'In reply to',
    'like-of': 'Liked',
    'repost-of': 'Reposted',
    'bookmark-of': 'Bookmarked',
  },
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
  before: 'Before:',
  restore: 'Restore this version',
  /** `when`: the time of the change that replaced the version. */
  restoreNamed: (when: string) => `Restore this version, replaced on ${when}`,
};

/** The properties of a post, as they are called in the change history. */
const propertyWords = new Map([
  ['content', 'the text'],
  ['name', 'the title'],
  ['summary', 'the summary'],
  ['photo', 'the photos'],
  ['video', 'the video'],
  ['audio', 'the audio'],
  ['category', 'the categories'],
  ['post-status', 'the status'],
  ['visibility', 'who can read it'],
  ['published', 'the date'],
  ['in-reply-to', 'the page it replies to'],
  ['like-of', 'the liked page'],
  ['repost-of', 'the reposted page'],
  ['bookmark-of', 'the bookmarked page'],
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

export const composerWords = {
  title: 'New note',
  text: 'Your note',
  textExample: 'What’s on your mind?',
  missing: 'Write something, or add a photo.',
  photos: 'Photos',
  photoList: 'Photos in this note',
  addPhotos: 'Add photos',
  dropPhotos: 'You can also drop or paste photos here.',
  categories: 'Categories',
  categoriesHelp: 'Type a category and press Enter',
  readers: 'Who can read this note',
  visibilities: {
    public: 'Everyone (on your site)',
    unlisted: 'Anyone with the address (unlisted)',
    private: 'Only you (private)',
  },
  asDraft: 'Save as draft',
  post: 'Post',
  saveDraft: 'Save draft',
  posted: 'Posted your note.',
  draftSaved: 'Saved your draft.',
  failed: 'Porchlight couldn’t save your note. Your text and photos are still here.',
  sendingPhoto: (number: number, total: number) => `Sending photo ${number} of ${total}…`,
  savingDraft: 'Saving the draft…',
  posting: 'Posting…',
};

export const discardWords = {
  open: 'Discard…',
  question: 'Discard this note?',
  body: 'Discard this note? You can’t undo this.',
  keep: 'Keep writing',
  discard: 'Discard',
};

export const photoWords = {
  /** The name of the file follows. */
  alt: 'Alt text for',
  altHelp: 'Describe the photo in a sentence for people who can’t see it.',
  remove: 'Remove',
  removeNamed: (name: string) => `Remove ${name}`,
  /** The name of a file that has none. */
  unnamed: 'photo',
  notPicture: (name: string) => `“${name}” isn’t a picture.`,
  /** For a file that has the name of a picture only. */
  falsePicture: (name: string) =>
    `“${name}” isn’t a picture, whatever its name says. Remove it, then post again.`,
  empty: (name: string) => `“${name}” is empty.`,
  tooLarge: (name: string, megabytes: number) =>
    `“${name}” is larger than ${megabytes} MB, the limit in this window. Make it smaller, or post it with an app.`,
  tooMany: (name: string, most: number) => `“${name}” wasn’t added. A note can have up to ${most} photos.`,
};

export const sentWords = {
  title: 'Webmentions sent',
  failed: 'Porchlight couldn’t load the webmentions that it sent for this post.',
  showAll: (count: string) => `Show all ${count}`,
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

/** Returns the title of a post: its name, else the start of its text, else its kind. */
export function titleOf({ name, summary, kind }: PostItem): string {
  return name || summary || rowWords.untitled(kind);
}
