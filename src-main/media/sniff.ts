import { createReadStream } from 'node:fs';
import { PorchlightError } from '../contract/error.ts';
import { mediaKindOf, takenInWords, takenType, type TakenType } from './media-types.ts';

/** The first element of an SVG picture must start within this many characters. */
const svgHead = 65_536;
/** How many declarations, comments and document types may come before `<svg>`; no genuine file has more. */
const mostBeforeSvg = 20;

/**
 * Returns the type of a file's content, whatever its sender claims (MP-74). Any text is `text/plain`, except for an SVG
 * picture.
 * @throws PorchlightError `invalid_request` 415 if the type is not accepted, or differs widely from the claimed type.
 */
export async function sniffFile(file: string, claimed?: string): Promise<TakenType> {
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
  // Whether a WebM contains video is stated deep inside it, but a browser's recorder labels an audio recording as
  // audio.
  return type === 'video/webm' && plainType(claimed) === 'audio/webm' ? 'audio/webm' : type;
}

async function typeOf(file: string): Promise<TakenType | undefined> {
  const found = takenType(await signatureOf(file));
  if (found !== undefined) return found;
  const head = await headOfText(file);
  if (head === undefined) return undefined;
  return beginsAsSvg(head) ? 'image/svg+xml' : 'text/plain';
}

async function signatureOf(file: string): Promise<string> {
  // Loaded with the first upload, because it delays a start.
  const { fileTypeFromFile } = await import('file-type');
  try {
    const found = await fileTypeFromFile(file);
    // The byte order mark of UTF-16 looks like MPEG audio of a layer that nobody uses any more.
    return found === undefined || (found.mime === 'audio/mpeg' && found.ext !== 'mp3') ? '' : found.mime;
  } catch {
    return ''; // the file is cut off in the middle of the structure that its first bytes announce
  }
}

/**
 * Returns the first characters of a file of valid UTF-8 without NUL, or undefined if it is not text. Reads the whole
 * file.
 */
async function headOfText(file: string): Promise<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let head = '';
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
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
 * Returns whether the first element of a text is `<svg>`, after at most a declaration, comments and a document type.
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
 * Returns whether a claimed type is of the same class as the actual type. A stricter check would fail, because names of
 * types vary and senders guess. `text/plain` claims nothing: it is the default type of a form's part (RFC 7578, 4.4),
 * and some scripts never set one.
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
