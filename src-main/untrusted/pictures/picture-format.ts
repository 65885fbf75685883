export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'heif' | 'svg';

/** How many bytes from the start of a file are needed to recognize its format. */
export const signatureBytes = 1024;

/**
 * The size limit for SVG drawings, in bytes. Drawings are usually small, and parsing a large one would only waste time.
 */
const maxSvgBytes = 1_000_000;

const signatures: [format: PictureFormat, pattern: RegExp][] = [
  ['png', /^\x89PNG\r\n\x1a\n/],
  ['jpeg', /^\xff\xd8\xff/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF.{4}WEBP/s],
  ['heif', /^.{4}ftyp(avif|avis|mif1|msf1|heic|heix|hevc|hevx)/s],
  // An SVG comment ends at the first -->. Without this rule, a few dozen comments would make the match take forever.
  ['svg', /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--((?!-->).)*-->\s*|<!DOCTYPE[^>[]*>\s*)*<svg[\s>/]/s],
];

/**
 * Returns the picture format of a file, judged by its content. Returns undefined if the file isn't a picture, or if it
 * is an SVG over 1 MB. Recognizes only the formats that are accepted from strangers, because each additional parser is
 * another target for attacks.
 */
export function pictureFormat(start: Uint8Array, fileBytes: number): PictureFormat | undefined {
  const text = Buffer.from(start.subarray(0, signatureBytes)).toString('latin1');
  const format = signatures.find(([, pattern]) => pattern.test(text))?.[0];
  return format === 'svg' && fileBytes > maxSvgBytes ? undefined : format;
}
