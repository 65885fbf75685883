import { deflateSync, crc32 } from 'node:zlib';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { mediaTable } from '../../src-main/media/media-rows.ts';
import type { MediaFile, MediaStore } from '../../src-main/media/media-store.ts';
import { createMediaStore, type MediaStoreOptions } from '../../src-main/media/media-on-disk.ts';
import { PictureVersions } from '../../src-main/media/picture-versions.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import type { Pictures } from '../../src-main/untrusted/pictures/pictures.ts';
import { openRecords } from '../../src-main/storage/records/records.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import { temporaryFolder } from './storage-folder.ts';

const now = Date.parse('2026-11-20T10:00:00Z');
export const month = '2026/11';

/** Decodes nothing: every picture is 4 by 3, and its small picture is two letters. No picture can be converted. */
function fakePictures(): Pick<Pictures, 'measure' | 'thumbnail' | 'jpeg'> & { made: string[] } {
  const made: string[] = [];
  return {
    made,
    measure: () => Promise.resolve({ width: 4, height: 3 }),
    thumbnail: (file) => {
      made.push(file);
      return Promise.resolve(new TextEncoder().encode('ok'));
    },
    jpeg: () => Promise.resolve(null),
  };
}

/**
 * Opens a store in a data folder of its own. `open` opens another store on the same records and files, as a restart
 * does: after a kill, unless the store before was closed. `dir`: the media folder.
 */
export async function newMediaStore({
  dataDir,
  ...options
}: Partial<MediaStoreOptions> & { dataDir?: string } = {}) {
  const home = dataDir ?? (await temporaryFolder());
  const dir = join(home, 'media');
  const clock = { now };
  const pictures = fakePictures();
  const warnings: unknown[] = [];
  const versions = createVersions();
  const records = await openRecords({ dir: home, tables: [mediaTable], log: silentLog });
  onTestFinished(() => records.close());
  const open = (more: Partial<MediaStoreOptions> = {}): MediaStore =>
    createMediaStore({
      dir,
      records,
      versions,
      log: { warn: (warning: unknown) => void warnings.push(warning) },
      limitBytes: () => 1_000_000,
      removeMetadata: () => false,
      pictures,
      now: () => clock.now,
      ...options,
      ...more,
    });
  return { dataDir: home, dir, clock, pictures, records, warnings, open, store: open() };
}

/** The versions of pictures where none is made. */
export const withoutVersions = ({ store, dir }: { store: MediaStore; dir: string }): PictureVersions =>
  new PictureVersions({
    dir,
    store,
    log: silentLog,
    made: () => undefined,
    pictures: { versions: () => Promise.resolve([]) },
  });

/** What comes in, in the pieces given. */
export async function* streamOf(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
}

/** A whole PNG of one pixel, followed by what is given. */
export function pngOf(rest: string | Uint8Array = ''): Buffer {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const pixels = pngChunk('IDAT', deflateSync(Buffer.alloc(4)));
  return Buffer.concat([signature, pngChunk('IHDR', header), pixels, pngChunk('IEND'), Buffer.from(rest)]);
}

/** A chunk as PNG has them. */
export function pngChunk(type: string, data: Uint8Array = new Uint8Array()): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The last part of a path. */
export const fileNameOf = ({ path }: Pick<MediaFile, 'path'>) => path.slice(path.lastIndexOf('/') + 1);
