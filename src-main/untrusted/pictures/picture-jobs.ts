import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { ProgramBroken } from '../serve-jobs.ts';
import { openDecoder, type Picture, type RequestedVersions } from './picture-decoder.ts';
import { pictureFormat, signatureBytes } from './picture-format.ts';

const maxFileBytes = 200_000_000;

/**
 * A picture to decode: a file, or bytes in memory. `trusted`: whether the picture is the owner's own. The owner's
 * pictures can be larger than a stranger's.
 */
type Source = { readonly trusted: boolean } & (
  | { readonly file: string }
  | { readonly bytes: Uint8Array<ArrayBuffer> }
);
type Fitted = Source & { readonly edge: number };

const decoder = await openDecoder();

/** The jobs of the threads that decode pictures. The result is null if the file is missing or isn't a readable picture. */
export const jobs = {
  measure: (source: Source) => decoded(source, (picture) => decoder.measure(picture)),
  thumbnail: (source: Fitted) => decoded(source, (picture) => decoder.thumbnail(picture, source.edge)),
  versions: (source: Source & { readonly requested: RequestedVersions }) =>
    decoded(source, (picture) => decoder.versions(picture, source.requested)),
  icon: (source: Fitted) => decoded(source, (picture) => decoder.icon(picture, source.edge)),
  jpeg: (source: Source) => decoded(source, (picture) => decoder.jpeg(picture)),
  shrink: (source: Fitted) => decoded(source, (picture) => decoder.shrink(picture, source.edge)),
};
export type PictureJobs = typeof jobs;

function decoded<T>(source: Source, decode: (picture: Picture) => T): T | null {
  try {
    const bytes = 'bytes' in source ? source.bytes : readPicture(source.file);
    return bytes === undefined ? null : decode({ bytes, trusted: source.trusted });
  } catch (error) {
    // Errors that WebAssembly itself throws may leave the decoder in a broken state.
    if (error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name))
      throw new ProgramBroken('The decoder failed.', { cause: error });
    // The file isn't a picture, or was made to attack the decoder. In either case, the result is null.
    return null;
  }
}

/**
 * Returns the bytes of a picture file. Reads the whole file only if its first bytes match a picture format and its size
 * is at most 200 MB. Returns undefined for any other file, and if the file doesn't exist.
 */
function readPicture(file: string): Uint8Array | undefined {
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
