import { damaged } from './damaged.ts';

/** Reads big-endian numbers and texts one after the other. */
export interface ByteCursor {
  /** The next number, of 0 to 8 bytes; one of no bytes is zero. Beyond 2^53 it is only about right, and too large. */
  number(bytes: number): number;
  /** The next `bytes` bytes, each a character. */
  text(bytes: number): string;
  /** Up to the next zero byte, or to the end. */
  textToZero(): string;
}

/** @returns a cursor at the start of `bytes`; its functions throw PorchlightError at the end. */
export function cursorOf(bytes: Buffer): ByteCursor {
  let position = 0;
  const take = (length: number): Buffer => {
    if (length < 0 || position + length > bytes.length) throw damaged();
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
