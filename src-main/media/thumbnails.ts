import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../platform/log.ts';
import type { Pictures } from '../platform/pictures.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { thumbnailOf } from './media-folder.ts';
import type { MediaPlace } from './media-name.ts';
import { discard } from './upload-file.ts';

export interface Thumbnails {
  /** A file's small picture, made where there is none yet; null where none can be made. `isThere`: asked once it is made. */
  of(place: MediaPlace, isThere: () => Promise<boolean>): Promise<Uint8Array | null>;
}

const edge = 480;
const mostRemembered = 1000;

/** The small pictures in the folders of `dir`: derived, kept beside the files, made one at a time for each. */
export function createThumbnails(options: {
  dir: string;
  pictures: Pick<Pictures, 'thumbnail'>;
  log?: Pick<Log, 'warn'> | undefined;
}): Thumbnails {
  const { dir, pictures, log } = options;
  const underWay = new Map<string, Promise<Uint8Array | null>>();
  /** Files of which there is no small picture: trying costs the most where it is in vain. */
  const impossible = new Set<string>();

  async function make(source: string, target: string, isThere: () => Promise<boolean>) {
    const bytes = await pictures.thumbnail(source, { edge });
    if (bytes === null) {
      if (impossible.size >= mostRemembered) impossible.clear();
      impossible.add(source);
      return null;
    }
    try {
      await nodeOperations.makeFolder(dirname(target));
      await writeFile(`${target}.tmp`, bytes, { mode: 0o600, flush: true });
      await rename(`${target}.tmp`, target);
    } catch (error) {
      await discard(`${target}.tmp`);
      log?.warn({ err: error, file: target }, 'a thumbnail could not be kept');
    }
    // It goes with its file, even if that was deleted meanwhile.
    if (!(await isThere())) await discard(target);
    return bytes;
  }

  async function readOrMake(source: string, target: string, isThere: () => Promise<boolean>) {
    return (await readFile(target).catch(() => undefined)) ?? make(source, target, isThere);
  }

  return {
    async of({ month, file }, isThere) {
      const source = join(dir, month, file);
      if (impossible.has(source)) return null;
      const made = underWay.get(source) ?? readOrMake(source, thumbnailOf(join(dir, month), file), isThere);
      underWay.set(source, made);
      try {
        return await made;
      } finally {
        underWay.delete(source);
      }
    },
  };
}
