export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'heif' | 'svg';

/** Bytes at the start of a file that tell its format. */
export const signatureBytes = 1024;

/** Drawings are small; the reader of a large one would only be kept busy. */
const maxSvgBytes = 1_000_000;

const signatures: [format: PictureFormat, pattern: RegExp][] = [
  ['png', /^\x89PNG\r\n\x1a\n/],
  ['jpeg', /^\xff\xd8\xff/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF.{4}WEBP/s],
  ['heif', /^.{4}ftyp(avif|avis|mif1|msf1|heic|heix|hevc|hevx)/s],
  // A comment ends at the first -->: were it free to end later, a few dozen of them would take for ever.
  ['svg', /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--((?!-->).)*-->\s*|<!DOCTYPE[^>[]*>\s*)*<svg[\s>/]/s],
];

/**
 * The format that a file's content has, of those that are taken from strangers: each one more is one more parser for
 * them to attack. Undefined for any other file, and for a drawing of more than 1 MB.
 */
export function pictureFormat(start: Uint8Array, fileBytes: number): PictureFormat | undefined {
  const text = Buffer.from(start.subarray(0, signatureBytes)).toString('latin1');
  const format = signatures.find(([, pattern]) => pattern.test(text))?.[0];
  return format === 'svg' && fileBytes > maxSvgBytes ? undefined : format;
}
