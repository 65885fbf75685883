import { TextDecoder } from 'node:util';

const byteOrderMarks: [mark: number[], charset: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];
const metaCharset = /<meta\s[^>]{0,500}?charset\s*=\s*["']?\s*([^\s"'/>;]{1,40})/i;

/**
 * The text of a body, as browsers find it (HTML, determining the character encoding): its byte order mark counts most,
 * then the charset of its Content-Type, then a meta element near its beginning; UTF-8 where none is known.
 */
export function pageText(body: Uint8Array, contentType: string | null): string {
  const charset =
    byteOrderMarks.find(([mark]) => mark.every((byte, index) => body[index] === byte))?.[1] ??
    /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1] ??
    charsetInside(body);
  return decoder(charset).decode(body);
}

function charsetInside(body: Uint8Array): string {
  const start = Buffer.from(body.subarray(0, 1024)).toString('latin1');
  const name = metaCharset.exec(start)?.[1] ?? 'utf-8';
  // It was read byte by byte: so it is not written in two-byte units, whatever it says.
  return /^utf-?16/i.test(name) ? 'utf-8' : name;
}

function decoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder('utf-8');
  }
}
