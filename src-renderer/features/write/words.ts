import type { PostItem } from '../../../src-main/contract/posts.ts';
import type { Generator } from '../../../src-main/contract/site-folder.ts';

export const screenWords = {
  write: 'Write',
  edit: 'Edit post',
  loads: 'the post',
  drafts: 'Continue a draft:',
  untitled: 'Untitled draft',
};

export const fieldWords = {
  kind: 'What do you want to write?',
  respond: 'Respond…',
  page: 'Page',
  address: 'Address of the page',
  event: 'Address of the event',
  verb: 'How do you respond?',
  showTitle: 'Show its title',
  looking: 'Porchlight reads the page…',
  noTitle: 'Porchlight found no title on this page. You can respond to it anyway.',
  cited: (title: string, author: string) =>
    title === '' ? `By ${author}` : author === '' ? `“${title}”` : `“${title}” by ${author}`,
  addressExample: 'https://example.com/a-post',
  rsvp: 'Your answer',
  /** Stands in the field until the owner has chosen. */
  noRsvp: 'Choose…',
  title: 'Title',
  summary: 'Summary',
  summaryHelp: 'Optional. Lists and previews show it instead of the start of the text.',
  text: 'Text',
  textExample: 'What’s on your mind?',
  articleExample: 'Write your article',
  format: 'Format',
  formats: { plain: 'Plain text', markdown: 'Markdown' },
  markdownHelp: '**bold**, *italic*, [link](https://…), ![description](picture), # heading, - list',
  html: 'An app wrote this post as HTML, so you edit its HTML source. Porchlight keeps everything that you don’t change.',
  categories: 'Categories',
  categoriesHelp: 'Type a category and press Enter',
  /** For screen readers, after a change. */
  categoriesNow: (names: readonly string[]) =>
    names.length === 0 ? 'No categories.' : `Categories: ${names.join(', ')}.`,
  details: 'Details',
  slug: 'Address (slug)',
  slugHelp: 'Leave it empty to use the first words of the post.',
  published: 'Date and time',
  publishedHelp:
    'Leave it empty to use the time at which you publish. A date in the future schedules the post.',
  readers: 'Who can read this post',
  visibilities: {
    public: (site: string) => `Everyone (on ${site})`,
    unlisted: () => 'Anyone with the address (unlisted)',
    private: () => 'Only you (private)',
  },
  unlistedHelp: {
    hugo: 'Hugo before version 0.123 lists this post anyway, unless a file in the folder, such as netlify.toml, names the version.',
    jekyll:
      'On your site, this post becomes a page without a title. Lists of posts and the feed leave it out.',
    eleventy: '',
    astro: 'Your site lists this post, unless its templates leave out posts with “visibility: unlisted”.',
    zola: 'The sitemap of your site still contains this post. So do sections that aren’t sorted by date.',
    custom: 'Your site lists this post, unless its templates leave out posts with “visibility: unlisted”.',
  } satisfies Record<Generator, string>,
  crossPost: 'Cross-post to',
  crossPostPublic: 'Porchlight cross-posts only posts that everyone can read.',
};

const grouped = (count: number) => count.toLocaleString('en');

export const missingWords = {
  address: 'Enter the address of the other page.',
  web: 'Enter a web address that starts with https:// or http://.',
  rsvp: 'Choose your answer.',
  name: 'An article needs a title. To publish without one, choose Note.',
  photos: 'Add at least one photo.',
  failedPhotos: 'Some photos weren’t uploaded. Try again, or remove them.',
  text: 'Write something, or add a photo.',
  reply: 'Write your reply, or add a photo.',
  tooLong: (count: number, most: number) =>
    `The text has ${grouped(count)} characters. A post can have up to ${grouped(most)}.`,
  slug: 'The address needs letters or digits.',
  slugTaken: 'Another post of that month has this address. Choose a different one.',
  published: 'Enter a date between the years 0 and 9999.',
};

/** What the message above the buttons calls the fields that are missing or wrong. */
export const askedWords = {
  address: 'the address',
  rsvp: 'your answer',
  name: 'the title',
  photos: 'the photos',
  text: 'the text',
  slug: 'the address (slug)',
  published: 'the date',
};

const photosInPost = (count: number) =>
  count === 0 ? 'This post has no photos.' : `This post has ${count} ${count === 1 ? 'photo' : 'photos'}.`;

export const photoWords = {
  photos: 'Photos',
  list: 'Photos in this post',
  add: 'Add photos',
  drop: 'Add photos, or drop or paste them anywhere on this page.',
  pictures: 'Pictures for the text',
  addToText: 'Add pictures to the text',
  addCover: 'Add a cover',
  coverHelp: 'Lists and previews show the cover with the title.',
  cover: 'Cover',
  asCover: 'Use as cover',
  asCoverNamed: (name: string) => `Use as cover: ${name}`,
  insert: 'Insert',
  insertNamed: (name: string) => `Insert ${name} into the text`,
  /** The name of the file follows. */
  alt: 'Alt text for',
  altHelp: 'Describe it for people who can’t see it',
  remove: 'Remove',
  removeNamed: (name: string) => `Remove ${name}`,
  earlier: (name: string) => `Move ${name} earlier`,
  later: (name: string) => `Move ${name} later`,
  drag: 'Drag to move',
  moved: (name: string, place: number, count: number) => `${name} is now photo ${place} of ${count}.`,
  removed: (name: string, left: number) => `${name} is removed. ${photosInPost(left)}`,
  uploaded: (count: number) =>
    count === 0
      ? 'Uploaded. It is in the text.'
      : `Uploaded. ${photosInPost(count)} ${count === 1 ? 'It has a field' : 'Each has a field'} for its alt text.`,
  uploading: (number: number, total: number) => `Uploading photo ${number} of ${total}…`,
  waits: 'Not uploaded yet',
  failed: 'Not uploaded:',
  retry: 'Try again',
  retryNamed: (name: string) => `Try again: upload ${name}`,
  notKept: (name: string) => `This browser no longer has “${name}”. Remove the photo and add it again.`,
  /** The name of a file that has none. */
  unnamed: 'photo',
  notPicture: (name: string) => `“${name}” isn’t a picture.`,
  /** For a file that has the name of a picture only. */
  falsePicture: (name: string) => `“${name}” isn’t a picture, whatever its name says.`,
  empty: (name: string) => `“${name}” is empty.`,
  tooLarge: (name: string, megabytes: number) =>
    `“${name}” is larger than ${megabytes} MB, the limit in this window. Make it smaller, or post it with an app.`,
  tooMany: (count: number, already: number, most: number) =>
    already === 0
      ? `A post can have up to ${most} photos. You chose ${count}, so Porchlight added none of them.`
      : `A post can have up to ${most} photos, and this one has ${already}. You chose ${count} more, so Porchlight added none of them.`,
  more: (count: number) =>
    count === 1 ? 'One more file wasn’t added.' : `${count} more files weren’t added.`,
};

export const toolWords = {
  name: 'Text tools',
  bold: 'Bold',
  italic: 'Italic',
  link: 'Link',
  fromMedia: 'Insert a picture from Media',
  withKey: (label: string, name: 'bold' | 'italic' | 'link', mac: boolean) =>
    `${label} (${mac ? '⌘' : 'Ctrl+'}${{ bold: 'B', italic: 'I', link: 'K' }[name]})`,
};

export const pickerWords = {
  title: 'Insert a picture from Media',
  list: 'your pictures',
  search: 'Search pictures',
  empty: 'No pictures here yet. Drop one into the text to upload it.',
  none: 'No picture has this name.',
  more: 'Show more',
};

export const previewWords = {
  name: 'Preview',
  empty: 'Write something, and a preview of the page appears here.',
  waits: 'The preview appears in a moment.',
  failed: 'Porchlight can’t show a preview at the moment.',
  otherDesign: (site: string) => `This preview uses Porchlight’s design. ${site} has its own.`,
};

export const stateLine = {
  waiting: 'Not saved yet',
  saving: 'Saving…',
  draft: (time: string) => `Draft saved at ${time}`,
  edits: (time: string) => `Edits saved at ${time}, not published yet`,
  failed: 'Not saved:',
  retries: 'Porchlight tries again.',
  conflict: 'Not saved: this post has two versions. Choose one above.',
  gone: 'Not saved: this post is deleted.',
  /** For screen readers, once: each later save would interrupt them. */
  spoken: 'Porchlight saves as you type.',
};

export const barWords = {
  name: 'Save and publish',
  publish: 'Publish',
  schedule: 'Schedule',
  update: 'Update',
  saveDraft: 'Save draft',
  preview: 'Preview',
  details: 'Details',
  more: 'More…',
  bookmarklets: 'Bookmarklets…',
  words: (count: number) => `${grouped(count)} ${count === 1 ? 'word' : 'words'}`,
  discard: 'Discard…',
  discardEdits: 'Discard edits…',
  shortcut: (mac: boolean) => (mac ? '⌘ Enter' : 'Ctrl + Enter'),
  withoutAlt: (count: number) => `${count} ${count === 1 ? 'picture' : 'pictures'} without alt text`,
  missing: (what: string) => `Check ${what}.`,
  failed: {
    draft: 'Porchlight couldn’t publish the post. Your text is still here.',
    published: 'Porchlight couldn’t update the post. Your text is still here.',
  },
};

export const doneWords = {
  published: 'Published.',
  updated: 'Updated.',
  scheduled: (time: string) => `Scheduled for ${time}.`,
  discarded: 'Discarded the draft. You can restore it under Posts, Deleted.',
  editsDiscarded: 'Discarded your edits.',
};

export const discardWords = {
  draftTitle: 'Discard this draft?',
  draft: 'Porchlight deletes the draft. You can restore it under Posts, Deleted.',
  discard: 'Discard draft',
  editsTitle: 'Discard your edits?',
  edits: (site: string) => `The post stays as it is on ${site}. You can’t undo this.`,
  discardEdits: 'Discard edits',
};

export const editsWords = {
  found: (time: string) => `You have unsaved edits from ${time}. They’re in the form below.`,
};

export const conflictWords = {
  title: 'This post was changed elsewhere',
  about:
    'Another window or an app saved this post while you were writing. Compare the two versions and choose one.',
  keptDraft: 'Porchlight keeps the version that you don’t choose as a separate draft.',
  keptHistory:
    'If you keep yours, the saved version stays in the post’s history. If you use the saved version, yours becomes a separate draft.',
  mine: 'Your version, in this window',
  other: 'The saved version',
  noText: 'No text',
  keepMine: 'Keep mine',
  useOther: 'Use the other version',
  mineText: 'your text',
  otherText: 'the other text',
};

export const goneWords = {
  title: 'This post was deleted',
  about: 'Your text is still here, but Porchlight can’t save it to a deleted post.',
  restore: 'Restore the post',
  asDraft: 'Save as a new draft',
};

export const refusalWords = {
  not_editable: 'You can’t edit this post here',
  gone: 'This post is deleted',
  goneAbout: 'Restore it under Posts, Deleted, to edit it.',
  not_found: 'This post doesn’t exist',
  notFoundAbout: 'It may have been deleted or moved.',
  back: 'Back to your posts',
  deleted: 'Show deleted posts',
};

/** Returns the words for a post that was sent. `status`: its status now. `before`: its status before; null for a new post. */
export function sentWords(
  { status, published }: PostItem,
  before: PostItem['status'] | null,
  timeOf: (at: number) => string,
): string {
  if (status === 'scheduled') return doneWords.scheduled(timeOf(Date.parse(published)));
  return before === 'published' ? doneWords.updated : doneWords.published;
}

export const bookmarkletWords = {
  title: 'Respond from your browser',
  about:
    'Add a bookmark to your browser and paste one of these as its address. The bookmark opens this editor with the address of the page that you are reading.',
  list: 'Bookmarks for your browser',
  what: (verb: string) => `the bookmark for “${verb}”`,
  safe: 'Such a link only fills in an address. Porchlight publishes and fetches nothing until you say so.',
};

export const sitePageWords = {
  name: 'Page',
  loads: 'your pages',
  list: 'Your pages',
  fresh: 'New page',
  about: 'About you',
  aboutExample: 'Write a few sentences about yourself for your home page.',
  example: 'Write about yourself, what you do now, or anything else that stays.',
  slug: 'Address',
  slugHelp: 'The last part of the page’s address: lowercase letters, digits and hyphens.',
  bar: 'Save the page',
  save: 'Save',
  discard: 'Discard changes',
  view: 'View the page',
  manage: 'Order and delete pages…',
  saved: 'Saved. The page is on your site.',
  changed: 'Not on your site yet',
  failed: 'Porchlight couldn’t save the page. Your text is still here.',
  missing: 'This page doesn’t exist',
  missingAbout: 'It may have been deleted, or it has another address now.',
  write: 'Write a page',
  otherVersion: 'This page was changed elsewhere since you began. Saving replaces that version.',
  useSaved: 'Use the saved version',
  titleMissing: 'Enter a title.',
  slugMissing: 'Use lowercase letters, digits and hyphens, such as about-me.',
  slugTaken: 'Another page has this address.',
};
