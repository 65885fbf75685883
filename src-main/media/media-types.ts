import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { PorchlightError } from '../contract/error.ts';
import type { MediaKind } from '../contract/media.ts';

/**
 * The accepted media types. Pictures in HEIC and HEIF are converted to JPEG (see isShownByBrowsers), but files that are
 * already stored keep these types. Each type has one file extension, and no two types share an extension.
 */
const endings = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/heic': 'heic',
  'image/heif': 'heif',
  'image/svg+xml': 'svg',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'video/ogg': 'ogv',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/flac': 'flac',
  'audio/aac': 'aac',
  'audio/webm': 'weba',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
} as const;

/** An accepted media type, without parameters. */
export type TakenType = keyof typeof endings;

const types = new Map(Object.entries(endings).map(([type, ending]) => [ending, type]));

/** Returns the file extension of a type, without its dot. */
export const fileEnding = (type: TakenType): string => endings[type];

/** Returns the accepted type for a file extension, or undefined if no accepted type has that extension. */
export function typeOfEnding(ending: string): TakenType | undefined {
  const type = types.get(ending as (typeof endings)[TakenType]);
  return type === undefined ? undefined : (type as TakenType);
}

/** Names that the file-type package uses for accepted types. */
const otherNames: Readonly<Record<string, TakenType>> = {
  'image/apng': 'image/png',
  'image/heic-sequence': 'image/heic',
  'image/heif-sequence': 'image/heif',
  'video/x-m4v': 'video/mp4',
  'audio/x-m4a': 'audio/mp4',
};

/** Returns the accepted type with the given name; undefined if there is none. Ignores parameters. */
function takenType(name: string): TakenType | undefined {
  const plain = name.split(';', 1)[0]?.trim() ?? '';
  return plain in endings ? (plain as TakenType) : otherNames[plain];
}

/** Returns the kind of a media type: image, video, audio or document. */
export function mediaKindOf(type: string): MediaKind {
  const [main] = type.split('/', 1);
  return main === 'image' || main === 'video' || main === 'audio' ? main : 'document';
}

/** The accepted types in words, for error messages. */
const takenInWords =
  'Porchlight accepts pictures (JPEG, PNG, GIF, WebP, AVIF, SVG, HEIC), videos (MP4, QuickTime, WebM, Ogg), audio (MP3, M4A, Ogg, WAV, FLAC, AAC, WebM), PDF, and text in UTF-8.';

/** The first element of an SVG picture must start within this many characters. */
const svgHead = 65_536;
/** The maximum number of declarations, comments and document types before `<svg>`, more than in any genuine file. */
const mostBeforeSvg = 20;

/** A file's content, or its path. */
type FileSource = Uint8Array | string;

/**
 * Returns the type of a file, based on its content (MP-74). Any text other than an SVG picture is `text/plain`.
 * @throws PorchlightError `invalid_request` 415 if the type is not accepted, or differs widely from the claimed type.
 */
export async function sniffFile(file: FileSource, claimed?: string): Promise<TakenType> {
  const type = await typeOf(file);
  if (type === undefined)
    throw new PorchlightError(
      'invalid_request',
      `Porchlight does not accept this type of file. ${takenInWords}`,
      415,
    );
  if (!fitsClaim(claimed, type))
    throw new PorchlightError(
      'invalid_request',
      `The file’s content does not match its type. ${takenInWords}`,
      415,
    );
  // Only deep parsing would show whether a WebM file contains video. Browsers label audio recordings correctly, so use
  // the claimed type.
  return type === 'video/webm' && plainType(claimed) === 'audio/webm' ? 'audio/webm' : type;
}

async function typeOf(file: FileSource): Promise<TakenType | undefined> {
  const found = takenType(await signatureOf(file));
  // The first brand of an AVIF picture may be the general one (AV1 Image File Format, 6.2).
  if (found === 'image/heif' && (await brandsOf(file)).some((brand) => /^avi[fs]$/.test(brand)))
    return 'image/avif';
  if (found !== undefined) return found;
  const head = await headOfText(file);
  if (head === undefined) return undefined;
  return beginsAsSvg(head) ? 'image/svg+xml' : 'text/plain';
}

/** Returns the brands at the start of an ISO media file (ISO/IEC 14496-12, 4.3): at most the first hundred. */
async function brandsOf(file: FileSource): Promise<string[]> {
  const start = Buffer.alloc(416);
  const bytes = await readStart(file, start);
  const box = start.subarray(0, Math.min(bytes, start.readUInt32BE(0)));
  return box.toString('latin1', 8).match(/.{4}/gs) ?? [];
}

/** Reads the start of a file into a buffer. Returns how many bytes were read. */
async function readStart(file: FileSource, buffer: Buffer): Promise<number> {
  if (typeof file !== 'string') {
    const start = file.subarray(0, buffer.length);
    buffer.set(start);
    return start.length;
  }
  const handle = await open(file);
  try {
    return (await handle.read(buffer, 0, buffer.length, 0)).bytesRead;
  } finally {
    await handle.close();
  }
}

async function signatureOf(file: FileSource): Promise<string> {
  // The packages are imported at the first upload, because importing them earlier would delay the start.
  // file-type's own fileTypeFromFile imports strtok3 by a name that no bundler sees, so a package would lack it.
  const [{ fileTypeFromTokenizer }, { fromBuffer, fromFile }] = await Promise.all([
    import('file-type'),
    import('strtok3'),
  ]);
  // fileTypeFromTokenizer closes it.
  const tokenizer = typeof file === 'string' ? await fromFile(file) : fromBuffer(file);
  try {
    const found = await fileTypeFromTokenizer(tokenizer);
    // The byte order mark of UTF-16 text looks like MPEG audio of an obsolete layer, so only MP3 counts as MPEG audio.
    return found === undefined || (found.mime === 'audio/mpeg' && found.ext !== 'mp3') ? '' : found.mime;
  } catch {
    return ''; // the file ends too early for the type that its first bytes suggest
  }
}

/**
 * Returns the first characters of a text file; undefined if the file is not UTF-8 text or contains NUL. Reads the whole
 * file.
 */
async function headOfText(file: FileSource): Promise<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let head = '';
  try {
    const chunks = typeof file === 'string' ? (createReadStream(file) as AsyncIterable<Uint8Array>) : [file];
    for await (const chunk of chunks) {
      if (chunk.includes(0)) return undefined;
      const text = decoder.decode(chunk, { stream: true });
      if (head.length < svgHead) head += text;
    }
    decoder.decode();
    return head;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * Returns whether the first element of `text` is `<svg>`. Only declarations, comments and a document type can precede
 * it.
 */
export function beginsAsSvg(text: string): boolean {
  let rest = text.slice(0, svgHead).trimStart();
  for (let piece = 0; piece < mostBeforeSvg; piece += 1) {
    if (/^<svg[\s>/]/.test(rest)) return true;
    const end = endOfPreamble(rest);
    if (end === undefined) return false;
    rest = rest.slice(end).trimStart();
  }
  return false;
}

function endOfPreamble(text: string): number | undefined {
  if (text.startsWith('<?')) return after(text, '?>');
  if (text.startsWith('<!--')) return after(text, '-->');
  if (!/^<!DOCTYPE\s+svg[\s>[]/.test(text)) return undefined;
  const subset = text.indexOf('[');
  const plain = text.indexOf('>');
  if (subset === -1 || plain < subset) return after(text, '>');
  return /\]\s*>/.exec(text)?.index === undefined ? undefined : after(text, '>', text.indexOf(']'));
}

function after(text: string, mark: string, from = 0): number | undefined {
  const at = text.indexOf(mark, from);
  return at === -1 ? undefined : at + mark.length;
}

const plainType = (type = '') => type.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/**
 * Returns whether a claimed type is similar enough to the actual type. A strict comparison would fail, because types
 * have several names and senders guess. `text/plain` fits any file, because it is the default type of a form's part
 * (RFC 7578, 4.4).
 */
function fitsClaim(claimed: string | undefined, type: TakenType): boolean {
  const claim = plainType(claimed);
  if (claim === 'text/plain') return true;
  const [main] = claim.split('/', 1);
  const kind = mediaKindOf(type);
  if (main === 'image') return kind === 'image';
  if (main === 'audio' || main === 'video') return kind === 'audio' || kind === 'video';
  if (main === 'text') return type === 'text/plain' || type === 'image/svg+xml';
  return claim !== 'application/pdf' || type === 'application/pdf';
}
