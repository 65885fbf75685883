import { Readable } from 'node:stream';
import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { MediaChange, MediaItem } from '../contract/media.ts';
import { altIn, mediaPathOf } from '../media/media-address.ts';
import type { MediaFile, MediaStore } from '../media/media-store.ts';
import type { PictureVersions } from '../media/picture-versions.ts';
import type { PostStore } from './post-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Activity } from '../storage/records/activity.ts';
import { itemOf } from './owner.ts';

interface MediaDeps {
  readonly media: MediaStore;
  readonly versions: Pick<PictureVersions, 'stateOf' | 'waiting'>;
  readonly posts: PostStore;
  /** Returns the public origin. */
  readonly base: () => string;
  readonly clock: Clock;
  readonly activity: Activity;
  readonly changed: (file: MediaFile, change: MediaChange['change']) => Promise<void>;
}

const usualPage = 50;
const mostUses = 100;
const chunk = 64 * 1024;

/** Creates the handlers for the window's calls about uploaded files. */
export function mediaHandlers({ media, versions, posts, base, clock, activity, changed }: MediaDeps) {
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
      const { items } = await posts.list({ limit: mostUses, filter: { uses: file.path } });
      const uses = items.map((post) => ({
        post: itemOf(post, base(), clock()),
        alt: altIn(post.properties, file.path),
      }));
      return { item: mediaItemOf(file, base()), versions: await versions.stateOf(file), uses };
    },

    'media.thumbnail': async ({ url }) => {
      const thumbnail = await media.thumbnail((await find(url)).path);
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
      await activity.tell('media.deleted', `You deleted the file ${file.name}.`);
      return { ...mediaItemOf(file, base()), saved: media.isSaved(path) };
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
