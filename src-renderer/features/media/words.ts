import type { MediaItem, MediaKind, MediaUse } from '../../../src-main/contract/media.ts';

/** What a file is, in a word. */
const kindWords: Record<MediaKind, string> = {
  image: 'Picture',
  video: 'Video',
  audio: 'Sound',
  document: 'Document',
};

const typeNames: Record<string, string> = {
  'image/jpeg': 'JPEG picture',
  'image/svg+xml': 'SVG drawing',
  'audio/mpeg': 'MP3 sound',
  'video/quicktime': 'QuickTime video',
  'text/plain': 'Plain text',
  'application/zip': 'ZIP archive',
};

/** A media type in words: "PNG picture", "MP4 video". */
export function typeWords({ type, kind }: Pick<MediaItem, 'type' | 'kind'>): string {
  const known = typeNames[type];
  if (known !== undefined) return known;
  const format = (type.split('/')[1] ?? '').replace(/^x-/, '');
  // A long name, such as those of office documents, says less than nothing.
  if (format === '' || format === 'octet-stream' || format.length > 8) return kindWords[kind];
  return `${format.toUpperCase()} ${kindWords[kind].toLowerCase()}`;
}

const sizes: readonly (readonly [string, number])[] = [
  ['GB', 1_000_000_000],
  ['MB', 1_000_000],
  ['kB', 1000],
];

/** "3.5 MB", "120 kB", "1 byte". */
export function sizeWords(bytes: number): string {
  // From 999.5 kB on it reads as 1 MB.
  const [unit, size] = sizes.find(([, one]) => bytes >= one * 0.9995) ?? ['bytes', 1];
  if (size === 1) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const amount = bytes / size;
  return `${amount.toFixed(amount < 9.95 ? 1 : 0).replace(/\.0$/, '')} ${unit}`;
}

/** "1 file", "3 files". */
export function filesWords(count: number): string {
  return `${count} ${count === 1 ? 'file' : 'files'}`;
}

/** What becomes of the posts that show a file, where it is deleted. */
export function lossWords(uses: readonly MediaUse[]): string {
  const posts = new Set(uses.map(({ post }) => post.url)).size;
  if (posts === 0) return 'No post shows it.';
  if (posts === 1) return '1 post shows it; it will show nothing there.';
  return `${posts} posts show it; they will show nothing there.`;
}
