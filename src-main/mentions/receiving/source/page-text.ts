import { TextDecoder } from 'node:util';

const byteOrderMarks: [mark: number[], charset: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];
const metaCharset = /<meta\s[^>]{0,500}?charset\s*=\s*["']?\s*([^\s"'/>;]{1,40})/i;

/**
 * Returns the text of a body, decoded as browsers do (HTML Standard, "Determining the character encoding"): by its byte
 * order mark, or else by the charset of its Content-Type, or else by a meta element near its start, or else as UTF-8.
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
  // The meta element was readable as single bytes, so the page cannot be UTF-16, even if the element claims UTF-16.
  return /^utf-?16/i.test(name) ? 'utf-8' : name;
}

function decoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder('utf-8');
  }
}
