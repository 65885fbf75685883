type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'heif' | 'svg';

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

/**
 * Returns whether a picture file is an animation: an animated GIF, PNG, WebP or AVIF. Reads only the file's structure,
 * because libvips decodes the first frame only, and doesn't recognize animated PNG.
 */
export function isAnimated(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (pictureFormat(bytes, bytes.length)) {
    case 'gif':
      return gifFrames(file, 2) > 1;
    case 'png':
      return hasAnimationControl(file);
    case 'webp':
      // The second bit of the flags in the extended header (RFC 9649, 2.7).
      return file.toString('latin1', 12, 16) === 'VP8X' && ((file[20] ?? 0) & 2) !== 0;
    case 'heif':
      return /^.{4}ftyp(?:.{4})*?avis/s.test(file.toString('latin1', 0, 64));
    default:
      return false;
  }
}

/** Returns whether a PNG has the chunk that begins an animation. The chunk precedes the pixels. */
function hasAnimationControl(file: Buffer): boolean {
  for (let at = 8; at + 8 <= file.length; at += 12 + file.readUInt32BE(at)) {
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'acTL') return true;
    if (type === 'IDAT') return false;
  }
  return false;
}

/** Counts the frames of a GIF, up to `most`. */
function gifFrames(file: Buffer, most: number): number {
  const byte = (at: number): number => file[at] ?? 0;
  const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  /** Returns the position after a series of data blocks, each of which begins with its length. */
  const afterBlocks = (start: number): number => {
    let at = start;
    while (at < file.length && byte(at) !== 0) at += 1 + byte(at);
    return at + 1;
  };
  let frames = 0;
  let at = 13 + tableBytes(byte(10));
  while (at < file.length && frames < most) {
    if (byte(at) === 0x21) at = afterBlocks(at + 2);
    else if (byte(at) === 0x2c) {
      frames += 1;
      at = afterBlocks(at + 11 + tableBytes(byte(at + 9)));
    } else break;
  }
  return frames;
}

/** The size limit for strangers' drawings, in bytes. Real logos have a few KB. */
const longestDrawing = 64 * 1024;
const mostElements = 1000;
const deepestNesting = 32;
/**
 * The maximum number of copies (`use` elements) in a drawing. Nested copies multiply, so a few copies can create a
 * million elements.
 */
const mostCopies = 16;

/**
 * Matches features of a drawing that are slow to render (such as filters), that repeat other parts, or that embed a
 * picture.
 */
const costly = /filter|<fe[a-z]|data:|<!ENTITY|<(\w+:)?(pattern|marker)\b|@import/i;

/**
 * Returns whether a stranger's SVG drawing is plain enough to render: at most 64 KB, 1,000 elements and 32 levels of
 * nesting, without features that are slow to render.
 */
export function isPlainDrawing(bytes: Uint8Array): boolean {
  if (bytes.length > longestDrawing) return false;
  const text = Buffer.from(bytes).toString('utf8');
  if (costly.test(withoutReferences(text)) || count(text, /<(\w+:)?use\b/gi) > mostCopies) return false;
  return count(text, /<[a-z]/gi) <= mostElements && depthOf(text) <= deepestNesting;
}

/**
 * Replaces numeric character references with the characters that they represent, so that a reference cannot hide a
 * keyword.
 */
function withoutReferences(text: string): string {
  return text.replace(/&#(x?)([\da-f]{1,6});/gi, (_, hex: string, digits: string) => {
    const code = parseInt(digits, hex === '' ? 10 : 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/**
 * Returns how deeply elements are nested. May also count text that only looks like a tag, such as in an SVG comment.
 */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [tag] of text.matchAll(/<\/?[a-z][^<>]*>/gi)) {
    if (tag.startsWith('</')) depth -= 1;
    else if (!tag.endsWith('/>')) deepest = Math.max(deepest, ++depth);
  }
  return deepest;
}
