import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cause } from '../platform/cause.ts';
import type { Log } from '../platform/log.ts';
import { notNow } from '../untrusted/pictures/pictures.ts';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import { verified } from '../storage/held-folders.ts';
import { derivedFile, writeDerived } from './derived-files.ts';
import type { MediaPlace } from './media-name.ts';
import { discard } from './upload-file.ts';

interface ThumbnailFile {
  /**
   * The URL of the original, if the picture is a copy from another site. Stricter limits apply to such pictures. Absent
   * for the owner's own files.
   */
  readonly from?: Cause;
  /** Returns whether the file still exists. Called when the thumbnail has been created. */
  readonly isThere: () => Promise<boolean>;
}

export interface Thumbnails {
  /** Returns a file's thumbnail, and creates it if necessary. Returns null if no thumbnail can be made. */
  of(place: MediaPlace, file: ThumbnailFile): Promise<Uint8Array | null>;
}

const edge = 480;
const mostRemembered = 1000;

/**
 * Creates the store of thumbnails, which are next to the originals in `dir`. Never makes two thumbnails of the same file
 * at once.
 */
export function createThumbnails(options: {
  dir: string;
  pictures: Pick<Pictures, 'thumbnail'>;
  log?: Pick<Log, 'warn'> | undefined;
}): Thumbnails {
  const { dir, pictures, log } = options;
  const underWay = new Map<string, Promise<Uint8Array | null>>();
  /**
   * The files for which no thumbnail can be made. Porchlight doesn't try them again, because failed attempts take the
   * longest.
   */
  const impossible = new Set<string>();

  async function make(source: string, target: string, { from, isThere }: ThumbnailFile) {
    const bytes = await verified(source, () => pictures.thumbnail(source, { edge, from }));
    if (bytes === notNow) return null;
    if (bytes === null) {
      if (impossible.size >= mostRemembered) impossible.clear();
      impossible.add(source);
      return null;
    }
    try {
      await writeDerived(target, bytes);
    } catch (error) {
      log?.warn({ err: error, file: target }, 'a thumbnail could not be kept');
    }
    // The file may have been deleted while its thumbnail was being made.
    if (!(await isThere())) await discard(target);
    return bytes;
  }

  async function readOrMake(source: string, target: string, about: ThumbnailFile) {
    return (await readFile(target).catch(() => undefined)) ?? make(source, target, about);
  }

  return {
    async of({ month, file }, about) {
      const source = join(dir, month, file);
      if (impossible.has(source)) return null;
      const made =
        underWay.get(source) ?? readOrMake(source, derivedFile(join(dir, month), file, 'webp'), about);
      underWay.set(source, made);
      try {
        return await made;
      } finally {
        underWay.delete(source);
      }
    },
  };
}
