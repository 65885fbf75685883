import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Cause } from '../platform/cause.ts';
import type { Log } from '../platform/log.ts';
import { nodeOperations, renamePatiently } from '../storage/file-operations.ts';
import { namesIn } from '../storage/file-facts.ts';
import { verified, verifiedToWrite } from '../storage/held-folders.ts';
import { mustHaveReserve } from '../storage/reserve.ts';
import { notNow, type Pictures } from '../untrusted/pictures/pictures.ts';
import type { MediaPlace } from './media-name.ts';
import { discard } from './upload-file.ts';

/**
 * Returns the path of a file that is derived from a picture in `folder`, the folder of a month. A missing derived file
 * is made again. `ending`: what follows the picture's name and a dot.
 */
export const derivedFile = (folder: string, file: string, ending: string) =>
  join(derivedFolder(folder), `${file}.${ending}`);

/** Returns the folder of the files that are derived from the pictures of a month. No backup contains it. */
export const derivedFolder = (folder: string) => join(folder, 'thumbnails');

/**
 * Writes a derived file. After a kill, the file is complete or missing.
 * @throws an error of the file system, or `storage_gone`
 */
export async function writeDerived(target: string, bytes: Uint8Array): Promise<void> {
  mustHaveReserve(target);
  try {
    await nodeOperations.makeFolder(dirname(target));
    await verifiedToWrite(target, async () => {
      await writeFile(`${target}.tmp`, bytes, { mode: 0o600, flush: true });
      await renamePatiently(`${target}.tmp`, target);
    });
  } catch (error) {
    await discard(`${target}.tmp`);
    throw error;
  }
}

/**
 * Deletes all files that are derived from a picture.
 * @throws an error of the file system
 */
export async function removeDerived(folder: string, file: string): Promise<void> {
  const derived = derivedFolder(folder);
  const names = (await namesIn(derived)).filter((name) => name.startsWith(`${basename(file)}.`));
  await Promise.all(names.map((name) => rm(join(derived, name), { force: true })));
}

interface ThumbnailFile {
  /**
   * The URL of the original, if the picture is a copy from another site. Stricter limits apply to such pictures. Absent
   * for the owner's own files.
   */
  readonly from?: Cause;
  /** Returns whether the file still exists. Called when the thumbnail has been created. */
  readonly isThere: () => Promise<boolean>;
}

const edge = 480;
const mostRemembered = 1000;

/**
 * Creates the store of thumbnails, which are next to the originals in `dir`. Never makes two thumbnails of the same file
 * at once.
 */
export function createThumbnails(
  dir: string,
  pictures: Pick<Pictures, 'thumbnail'>,
  log?: Pick<Log, 'warn'>,
) {
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
    /** Returns a file's thumbnail, and creates it if necessary. Returns null if no thumbnail can be made. */
    async of({ month, file }: MediaPlace, about: ThumbnailFile): Promise<Uint8Array | null> {
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
