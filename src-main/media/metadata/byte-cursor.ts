import { damagedFile } from './damaged.ts';

/** Reads big-endian numbers and text sequentially. */
export interface ByteCursor {
  /** Reads a number of 0 to 8 bytes. A number of 0 bytes is zero, and numbers above 2^53 are approximate. */
  number(bytes: number): number;
  /** Reads `bytes` bytes as text, with one character per byte. */
  text(bytes: number): string;
  /** Reads text up to the next zero byte, or to the end. */
  textToZero(): string;
}

/** Returns a cursor at the start of `bytes`. Its functions throw PorchlightError if they read past the end. */
export function byteCursor(bytes: Buffer): ByteCursor {
  let position = 0;
  const take = (length: number): Buffer => {
    if (length < 0 || position + length > bytes.length) throw damagedFile();
    position += length;
    return bytes.subarray(position - length, position);
  };
  return {
    number: (length) => take(length).reduce((number, byte) => number * 256 + byte, 0),
    text: (length) => take(length).toString('latin1'),
    textToZero: () => {
      const end = bytes.indexOf(0, position);
      const text = take((end === -1 ? bytes.length : end) - position).toString('latin1');
      if (end !== -1) take(1);
      return text;
    },
  };
}
