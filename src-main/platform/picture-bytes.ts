import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { pictureFormat, signatureBytes } from './picture-format.ts';

const maxFileBytes = 200_000_000;

/**
 * Returns the bytes of a picture file. Reads the whole file only if its first bytes are those of a picture and it is at
 * most 200 MB. Returns undefined for any other file, or if the file doesn't exist.
 */
export function readPicture(file: string): Uint8Array | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    const stat = fstatSync(handle);
    if (!stat.isFile() || stat.size > maxFileBytes) return undefined;
    const start = Buffer.alloc(signatureBytes);
    const length = readSync(handle, start, 0, signatureBytes, 0);
    if (pictureFormat(start.subarray(0, length), stat.size) === undefined) return undefined;
    return readFileSync(file);
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
