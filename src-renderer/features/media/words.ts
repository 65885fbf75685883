import type { MediaItem, MediaKind, MediaUse } from '../../../src-main/contract/media.ts';

export const pageWords = {
  title: 'Media',
  about: 'Pictures, audio and other files for your posts. To add files, drop them anywhere in this window.',
  add: 'Add files',
  search: 'Search by name',
  filter: 'Type of file',
  filters: { all: 'All', image: 'Pictures', video: 'Video', audio: 'Audio', document: 'Documents' },
  drop: 'Drop the files to add them',
};

export const listWords = {
  label: 'Files',
  loads: 'your files',
  incomplete: 'Porchlight couldn’t load all of your files.',
  noneYet: 'No files yet. Files that you add here, or that apps send with your posts, appear here.',
  noMatch: 'No files match these filters.',
  showAll: 'Show all files',
  converting: (count: number) =>
    `Porchlight is making smaller versions of ${count === 1 ? '1 picture' : `${count} pictures`} for your site. Until then, visitors get the originals.`,
};

export const fileWords = {
  unnamed: 'Unnamed file',
  title: 'File',
  loads: 'this file',
  open: 'Open',
  delete: 'Delete',
  address: 'address',
  type: 'Type',
  size: 'Size',
  pixels: (width: number, height: number) => `${width} × ${height} pixels`,
  added: 'Added',
  copiedFrom: 'Copied from',
  addressFact: 'Address',
  onSite: 'On your site',
  versions: {
    waiting: 'Porchlight is making smaller versions. Until then, visitors get the original.',
    failed:
      'Visitors get the original, because Porchlight couldn’t make smaller versions. The picture is damaged, has more than 100 million pixels, or takes too long to read.',
  },
};

export const usesWords = {
  title: 'Posts that use this file',
  loads: 'the posts that use this file',
  none: 'No posts use this file.',
  untitled: 'A post without text',
  deleted: 'deleted',
  alt: 'Alt text:',
  noAlt: 'This post has no alt text for the picture.',
};

export const deleteWords = {
  /** The name of the file and a question mark follow. */
  title: 'Delete',
  thisFile: 'this file',
  checking: 'Checking which posts use this file…',
  unknown: 'Porchlight couldn’t find out which posts use this file.',
  final: 'You can’t undo this.',
  action: 'Delete',
  done: (name: string) => (name === '' ? 'Deleted the file.' : `Deleted: ${name}`),
};

export const uploadWords = {
  /** The name of the file follows. */
  adding: (number: number, total: number) => `Adding ${number} of ${total}:`,
  stop: 'Stop after this file',
  /** The name of the file comes before. */
  failed: 'wasn’t added.',
  dismiss: 'Dismiss',
  added: (count: number) => `Added ${count === 1 ? '1 file' : `${count} files`}.`,
  tooLarge: (size: string, limit: string) =>
    `The file is ${size}. The limit in this window is ${limit}, but apps can send larger files.`,
  empty: 'The file is empty.',
  unreadable: 'Porchlight couldn’t read the file. If it’s a folder, add the files in it instead.',
};

const kindWords: Record<MediaKind, string> = {
  image: 'Picture',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
};

const typeNames: Record<string, string> = {
  'image/jpeg': 'JPEG picture',
  'image/svg+xml': 'SVG drawing',
  'audio/mpeg': 'MP3 audio',
  'video/quicktime': 'QuickTime video',
  'text/plain': 'Plain text',
  'application/zip': 'ZIP archive',
};

/** Returns a media type in words: "PNG picture", "MP4 video". */
export function typeWords({ type, kind }: Pick<MediaItem, 'type' | 'kind'>): string {
  const known = typeNames[type];
  if (known !== undefined) return known;
  const format = (type.split('/')[1] ?? '').replace(/^x-/, '');
  // The long names of office formats tell the owner nothing.
  if (format === '' || format === 'octet-stream' || format.length > 8) return kindWords[kind];
  return `${format.toUpperCase()} ${kindWords[kind].toLowerCase()}`;
}

const sizes: readonly (readonly [string, number])[] = [
  ['GB', 1_000_000_000],
  ['MB', 1_000_000],
  ['kB', 1000],
];

/** Returns a size in words: "3.5 MB", "120 kB", "1 byte". */
export function sizeWords(bytes: number): string {
  // Rounding turns 999.5 kB into 1000 kB, which should read 1 MB.
  const [unit, size] = sizes.find(([, one]) => bytes >= one * 0.9995) ?? ['bytes', 1];
  if (size === 1) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const amount = bytes / size;
  return `${amount.toFixed(amount < 9.95 ? 1 : 0).replace(/\.0$/, '')} ${unit}`;
}

/** Returns what happens to the posts that use a file when the owner deletes it. */
export function lossWords(uses: readonly MediaUse[]): string {
  const posts = new Set(uses.map(({ post }) => post.url)).size;
  if (posts === 0) return usesWords.none;
  if (posts === 1) return '1 post uses this file and will no longer show it.';
  return `${posts} posts use this file and will no longer show it.`;
}
