import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import type { Cause } from '../platform/cause.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Pictures } from '../platform/pictures.ts';
import { boundedCache } from '../storage/bounded-cache.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { verified } from '../storage/held-folders.ts';
import { writeFailure } from '../storage/storage-error.ts';
import { mediaFileOf, type FileLine } from './index-line.ts';
import { monthsIn } from './media-folder.ts';
import { openMediaIndex } from './media-index.ts';
import { listMedia } from './media-list.ts';
import { newFileName, pathOf, placeOf, shownName, type MediaPlace } from './media-name.ts';
import type { MediaFile, MediaStore, NewMedia } from './media-store.ts';
import { kindOf, type TakenType } from './media-types.ts';
import { sniffFile } from './sniff.ts';
import { createThumbnails } from './thumbnails.ts';
import { discard, receive, sweepIncoming, withoutMetadata, type Incoming } from './upload-file.ts';

export interface MediaStoreOptions {
  dir: string;
  /** The largest accepted file, in bytes. */
  limitBytes: () => number;
  /** If true, location and device data are removed from pictures and videos. */
  removeMetadata: () => boolean;
  pictures: Pick<Pictures, 'measure' | 'thumbnail'>;
  now: Clock;
  log?: Pick<Log, 'warn'> | undefined;
}

/** The most month indexes that stay open while they are not in use. */
const openMonths = 12;
const longestCopyOf = 10_000;

/**
 * Creates the store of the media files in `dir`. It reads nothing from disk until it is used. Create only one per
 * process.
 */
export function createMediaStore(options: MediaStoreOptions): MediaStore {
  const { dir, pictures, log } = options;
  const indexes = boundedCache(openMonths, (month) => openMediaIndex({ dir, month, log }));
  const thumbnails = createThumbnails({ dir, pictures, log });
  let opening: Promise<Set<string>> | undefined;

  /**
   * Returns the months that have a folder. Paths are checked against them, so a path that a stranger makes up opens no
   * folder.
   */
  function months(): Promise<Set<string>> {
    opening ??= open();
    // After a failure, the next use tries again, because the cause may be gone by then.
    opening.catch(() => (opening = undefined));
    return opening;
  }

  async function open(): Promise<Set<string>> {
    await sweepIncoming(dir);
    return new Set(await monthsIn(dir));
  }

  async function place(path: string): Promise<MediaPlace | undefined> {
    const found = placeOf(path);
    return found !== undefined && (await months()).has(found.month) ? found : undefined;
  }

  async function add(content: AsyncIterable<Uint8Array>, about: NewMedia): Promise<MediaFile> {
    await months();
    let incoming = await receive(dir, content, options.limitBytes());
    try {
      const type = await sniffFile(incoming.file, about.claimedType);
      if (options.removeMetadata()) incoming = await withoutMetadata(dir, incoming, type);
      return await take(incoming, type, about);
    } finally {
      await discard(incoming.file); // after a success, the file has already been moved away
    }
  }

  async function take(incoming: Incoming, type: TakenType, about: NewMedia): Promise<MediaFile> {
    const size = kindOf(type) === 'image' ? await pictures.measure(incoming.file, fromOf(about)) : null;
    const uploadedAt = new Date(options.now()).toISOString();
    const month = uploadedAt.slice(0, 7).replace('-', '/');
    const file = newFileName(about.name ?? '', type);
    const line: FileLine = {
      path: pathOf({ month, file }),
      name: shownName(about.name ?? '', type),
      ...{ type, kind: kindOf(type), bytes: incoming.bytes },
      ...{ width: size?.width ?? null, height: size?.height ?? null, uploadedAt },
      copyOf: about.copyOf?.slice(0, longestCopyOf) ?? null,
      ...(about.uploadedBy !== undefined && { uploadedBy: about.uploadedBy }),
    };
    const target = join(dir, month, file);
    await indexes.use(month, async (index) => {
      try {
        await intoPlace(incoming.file, target);
        await index.put(file, line);
      } catch (error) {
        await discard(target);
        throw error;
      }
    });
    (await months()).add(month);
    return mediaFileOf(line);
  }

  async function intoPlace(from: string, target: string): Promise<void> {
    const folder = join(target, '..');
    try {
      await nodeOperations.makeFolder(folder);
      await nodeOperations.rename(from, target);
      await nodeOperations.syncFolder(folder);
    } catch (error) {
      throw writeFailure(target, error);
    }
  }

  /**
   * Returns a file's index entry with the size of the picture. If a file was added to the index without its size, its
   * first use measures it.
   */
  async function measured(at: MediaPlace, line: FileLine): Promise<FileLine> {
    if (line.measured !== false) return line;
    const size =
      line.kind === 'image' ? await pictures.measure(join(dir, at.month, at.file), fromOf(line)) : null;
    const next = { ...line, width: size?.width ?? null, height: size?.height ?? null, measured: true };
    await indexes
      .use(at.month, (index) => index.put(at.file, next))
      .catch((error: unknown) => {
        log?.warn({ err: error, path: line.path }, 'the size of a picture could not be kept');
      });
    return next;
  }

  async function get(path: string): Promise<MediaFile | undefined> {
    const at = await place(path);
    if (at === undefined) return undefined;
    const line = await indexes.use(at.month, (index) => index.get(at.file));
    return line === undefined ? undefined : mediaFileOf(await measured(at, line));
  }

  return {
    // An upload takes long. If the media folder disappears meanwhile, `verified` reports that instead of any error that
    // follows from it.
    add: (content, about) => verified(dir, () => add(content, about)),

    get,

    async isDeleted(path) {
      const at = await place(path);
      return at !== undefined && indexes.use(at.month, (index) => index.isGone(at.file));
    },

    list: (page) =>
      listMedia(
        {
          months: async () => [...(await months())].sort().reverse(),
          entries: (month) => indexes.use(month, (index) => index.entries()),
        },
        page,
      ),

    async delete(path) {
      const at = await place(path);
      const line = at && (await indexes.use(at.month, (index) => index.remove(at.file)));
      if (line === undefined) throw new PorchlightError('invalid_request', 'This file does not exist.');
      return mediaFileOf(line);
    },

    fileOf: ({ path }) => join(dir, path.slice('/media/'.length)),

    async thumbnail(path) {
      const at = await place(path);
      const file = await get(path);
      if (at === undefined || file?.kind !== 'image') return null;
      const bytes = await thumbnails.of(at, {
        ...fromOf(file),
        isThere: async () => (await get(path)) !== undefined,
      });
      return bytes === null ? null : { bytes, type: 'image/webp' };
    },
  };
}

/**
 * Returns the URL from which a picture was copied, as the cause of work on it, so that copied pictures do not hold up
 * the owner's own.
 */
function fromOf({ copyOf }: { readonly copyOf?: string | null | undefined }): { from?: Cause } {
  return typeof copyOf === 'string' && URL.canParse(copyOf) ? { from: { address: copyOf } } : {};
}
