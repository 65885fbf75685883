import { Readable } from 'node:stream';
import type { Handlers, Result } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { MediaChange, MediaItem } from '../contract/media.ts';
import type { Activity } from '../storage/records/activity.ts';
import { mediaPathOf } from './media-address.ts';
import type { MediaFile, MediaStore } from './media-store.ts';
import type { PictureVersions } from './picture-versions.ts';

interface MediaHandlersDeps {
  readonly media: MediaStore;
  /** Returns the local copy of a file on another server. */
  readonly shown: (url: string) => Promise<Pick<MediaFile, 'path'> | undefined>;
  readonly versions: Pick<PictureVersions, 'stateOf' | 'waiting'>;
  /** Returns the posts that use a file. */
  readonly usesOf: (path: string) => Promise<Result<'media.get'>['uses']>;
  /** Returns the public origin. */
  readonly base: () => string;
  readonly activity: Pick<Activity, 'record'>;
  readonly changed: (file: MediaFile, change: MediaChange['change']) => Promise<void>;
}

const usualPage = 50;
const chunk = 64 * 1024;

/** Creates the handlers for the window's calls about uploaded files. */
export function mediaHandlers(deps: MediaHandlersDeps) {
  const { media, shown, versions, usesOf, base, activity, changed } = deps;

  async function find(url: string): Promise<MediaFile> {
    const path = mediaPathOf(url);
    const file = path === undefined ? undefined : await media.get(path);
    if (file === undefined) throw new PorchlightError('not_found', 'This file no longer exists.', 404);
    return file;
  }

  return {
    'media.list': async ({ query, kind, limit = usualPage, cursor }) => {
      const { items, nextCursor } = await media.list({ limit, cursor, filter: { kind, text: query } });
      return {
        items: items.map((file) => mediaItemOf(file, base())),
        ...(nextCursor !== undefined && { nextCursor }),
        converting: versions.waiting(),
      };
    },

    'media.get': async ({ url }) => {
      const file = await find(url);
      const uses = await usesOf(file.path);
      return { item: mediaItemOf(file, base()), versions: await versions.stateOf(file), uses };
    },

    'media.thumbnail': async ({ url }) => {
      const copy = mediaPathOf(url) === undefined ? await shown(url) : undefined;
      const thumbnail = await media.thumbnail((copy ?? (await find(url))).path);
      if (thumbnail === null) return { dataUrl: null };
      const data = Buffer.from(thumbnail.bytes).toString('base64');
      return { dataUrl: `data:${thumbnail.type};base64,${data}` };
    },

    'media.upload': async ({ name, data }) => {
      const bytes = Buffer.from(data, 'base64');
      // `Buffer` silently skips characters that aren't base64. So check that encoding the bytes again gives the same
      // string.
      if (bytes.toString('base64').replace(/=+$/, '') !== data.replace(/=+$/, ''))
        throw new PorchlightError('invalid_request', 'The file was damaged on the way. Try again.');
      const file = await media.add(inChunks(bytes), { name });
      await changed(file, 'added');
      return mediaItemOf(file, base());
    },

    'media.delete': async ({ url }) => {
      const { path } = await find(url);
      const file = await media.delete(path);
      await changed(file, 'deleted');
      await activity.record('media.deleted', `You deleted the file ${file.name}.`);
      return mediaItemOf(file, base());
    },
  } satisfies Partial<Handlers>;
}

function mediaItemOf(file: MediaFile, base: string): MediaItem {
  const { path, name, type, kind, bytes, width, height, uploadedAt, copyOf } = file;
  return { url: new URL(path, base).href, name, type, kind, bytes, width, height, uploadedAt, copyOf };
}

function inChunks(bytes: Buffer): Readable {
  const parts = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, index) =>
    bytes.subarray(index * chunk, (index + 1) * chunk),
  );
  return Readable.from(parts);
}
