import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import type { Cause } from '../platform/cause.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { verified } from '../storage/held-folders.ts';
import { errorCode, writeFailure } from '../storage/storage-error.ts';
import type { PictureSize } from '../untrusted/pictures/picture-decoder.ts';
import { notNow, type Pictures } from '../untrusted/pictures/pictures.ts';
import { MediaMonths, type MediaMonthsOptions } from './media-months.ts';
import { mediaPath, mediaPlace, newFileName, shownName } from './media-name.ts';
import type { RecordedMedia } from './media-rows.ts';
import { causeOf, longestCopyOf, type MediaFile, type MediaStore, type NewMedia } from './media-store.ts';
import { mediaKindOf, sniffFile, type TakenType } from './media-types.ts';
import { createThumbnails } from './derived-files.ts';
import {
  discard,
  drop,
  type Incoming,
  makeDurable,
  receive,
  withoutMetadata,
  written,
  type WrittenFile,
} from './upload-file.ts';

export interface MediaStoreOptions extends MediaMonthsOptions {
  /** Returns the maximum size of a file, in bytes. */
  limitBytes: () => number;
  /** If true, location and device data are removed from pictures and videos. */
  removeMetadata: () => boolean;
  pictures: Pick<Pictures, 'measure' | 'thumbnail' | 'jpeg'>;
}

/**
 * Creates the store of the media files in `dir`. Each file has a record in the database. Create only one store per
 * process.
 */
export function createMediaStore(options: MediaStoreOptions): MediaStore {
  const { dir, pictures, log } = options;
  const months = new MediaMonths(options);
  const thumbnails = createThumbnails(dir, pictures, log);
  const fileOf = ({ path }: MediaFile) => join(dir, path.slice('/media/'.length));

  async function add(content: AsyncIterable<Uint8Array>, about: NewMedia): Promise<MediaFile> {
    await months.rows();
    let incoming = await receive(dir, content, options.limitBytes());
    try {
      let type = await sniffFile('content' in incoming ? incoming.content : incoming.file, about.claimedType);
      if (about.wasStored !== true && !isShownByBrowsers(type)) {
        incoming = await written(dir, incoming);
        incoming = await jpegOf(dir, incoming, { pictures, limit: options.limitBytes(), ...causeOf(about) });
        type = 'image/jpeg';
      }
      if (options.removeMetadata()) incoming = await withoutMetadata(dir, incoming, type);
      incoming = await written(dir, incoming);
      return await take(incoming, type, about);
    } finally {
      await drop(incoming); // a stored file has another path by now, so `drop` doesn't delete it
    }
  }

  async function take(incoming: WrittenFile, type: TakenType, about: NewMedia): Promise<MediaFile> {
    const [size] = await Promise.all([sizeOf(pictures, incoming, type, about), makeDurable(incoming)]);
    const uploadedAt = new Date(options.now()).toISOString();
    const month = uploadedAt.slice(0, 7).replace('-', '/');
    const path = mediaPath({ month, file: newFileName(about.name ?? '', type) });
    const file: MediaFile = {
      path,
      name: shownName(about.name ?? '', type),
      type,
      kind: mediaKindOf(type),
      bytes: incoming.bytes,
      width: size?.width ?? null,
      height: size?.height ?? null,
      uploadedAt,
      copyOf: about.copyOf?.slice(0, longestCopyOf) ?? null,
      ...(about.uploadedBy !== undefined && { uploadedBy: about.uploadedBy }),
    };
    await about.placing?.(path);
    await months.change(month, async () => {
      try {
        await intoPlace(incoming.file, fileOf(file));
        await months.put(file);
      } catch (error) {
        await discard(fileOf(file));
        throw error;
      }
    });
    return file;
  }

  /**
   * Returns a file's details, with the size of its picture in pixels. Measures the picture if its size is unknown,
   * which happens if the process was killed before it could record the size.
   */
  async function measured({ file, isMeasured }: RecordedMedia): Promise<MediaFile> {
    if (isMeasured) return file;
    const size = file.kind === 'image' ? await pictures.measure(fileOf(file), causeOf(file)) : null;
    const next = { ...file, width: size?.width ?? null, height: size?.height ?? null };
    try {
      await months.change(mediaPlace(file.path)?.month ?? '', async () => {
        // The file may have been measured or deleted in the meantime.
        if (months.recorded(file.path)?.isMeasured === false) await months.put(next);
      });
    } catch (error) {
      log?.warn({ err: error, path: file.path }, 'the size of a picture could not be kept');
    }
    return next;
  }

  async function get(path: string): Promise<MediaFile | undefined> {
    const found = await months.find(path, (rows) => rows.get(path));
    return found && measured(found);
  }

  return {
    // If the media folder disappears during a long upload, `verified` reports the missing folder instead of the errors
    // that follow from it.
    add: (content, about) => verified(dir, () => add(content, about)),
    get,
    async copyOf(url) {
      const path = (await months.rows()).copyOf(url);
      return path === undefined ? undefined : get(path);
    },
    wasCopyDeleted: async (url) => (await months.rows()).wasCopyDeleted(url),
    isDeleted: async (path) =>
      (await months.find(path, (rows) => rows.isGone(path) || undefined)) !== undefined,
    list: async (page) => (await months.rows()).list(page),

    delete: (path) => deleteFrom(months, path),

    fileOf,

    async thumbnail(path) {
      const place = mediaPlace(path);
      const file = await get(path);
      if (place === undefined || file?.kind !== 'image') return null;
      const bytes = await thumbnails.of(place, {
        ...causeOf(file),
        isThere: async () => (await get(path)) !== undefined,
      });
      return bytes === null ? null : { bytes, type: 'image/webp' };
    },

    close: () => months.close(),
  };
}

/** Deletes a file and its record. */
async function deleteFrom(months: MediaMonths, path: string): Promise<MediaFile> {
  const place = mediaPlace(path);
  const file =
    place &&
    (await months.change(
      place.month,
      async () => {
        const found = months.recorded(path)?.file;
        if (found) await months.remove(place);
        return found;
      },
      { ends: true },
    ));
  if (file === undefined) throw new PorchlightError('invalid_request', 'This file does not exist.');
  return file;
}

/** Returns the size of a picture. A stranger's picture is only measured where it can do no harm, and within limits. */
async function sizeOf(
  pictures: Pick<Pictures, 'measure'>,
  incoming: WrittenFile,
  type: TakenType,
  about: NewMedia,
): Promise<PictureSize | null> {
  if (mediaKindOf(type) !== 'image') return null;
  const cause = causeOf(about);
  return (cause.from === undefined ? incoming.size : undefined) ?? pictures.measure(incoming.file, cause);
}

/** Moves a file to its place in the media folder. */
async function intoPlace(from: string, target: string): Promise<void> {
  const folder = join(target, '..');
  try {
    await nodeOperations.rename(from, target).catch(async (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      await nodeOperations.makeFolder(folder);
      await nodeOperations.rename(from, target);
    });
    await nodeOperations.syncFolder(folder);
  } catch (error) {
    throw writeFailure(target, error);
  }
}

/** Returns whether most browsers show files of a type. A photo that they don't show would be a mere link on a page. */
function isShownByBrowsers(type: TakenType): boolean {
  return type !== 'image/heic' && type !== 'image/heif';
}

/**
 * Converts a received HEIC picture to JPEG. Returns the JPEG, and deletes the original. `from`: the origin of a copied
 * picture. `limit`: the maximum size of the JPEG, in bytes.
 * @throws PorchlightError `invalid_request` 415 if the picture can't be converted, 413 if the JPEG is larger than
 * `limit`; `temporarily_unavailable` 503 (429 if the picture has `from`) if another attempt may succeed; `storage_full`,
 * `storage_unwritable`. In these cases, the original is not deleted.
 */
async function jpegOf(
  dir: string,
  original: WrittenFile,
  { pictures, limit, from }: { pictures: Pick<Pictures, 'jpeg'>; limit: number; from?: Cause },
): Promise<Incoming> {
  const jpeg = await pictures.jpeg(original.file, { from });
  if (jpeg === notNow) throw tryLater(from === undefined ? 503 : 429);
  if (jpeg === null) throw notConverted();
  const converted = await receive(dir, once(jpeg), limit);
  await drop(original);
  return converted;
}

const tryLater = (status: number) =>
  new PorchlightError(
    'temporarily_unavailable',
    'Porchlight is too busy to convert the HEIC picture to JPEG. Try again in a minute, or send the picture as a JPEG.',
    status,
  );

const notConverted = () =>
  new PorchlightError(
    'invalid_request',
    'Most browsers can’t show HEIC pictures, and Porchlight can’t convert this one. Send the picture as a JPEG. To take photos as JPEG on an iPhone, choose Settings > Camera > Formats > Most Compatible.',
    415,
  );

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
