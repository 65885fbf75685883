import path from 'node:path';
import type { MediaChange } from '../contract/media.ts';
import type { Settings } from '../contract/settings.ts';
import type { Authorize } from '../http/bearer.ts';
import type { Common } from '../http/common.ts';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import {
  mediaPathOf,
  type ShownPicture,
  shownPicture,
  versionNameIn,
  versionPaths,
} from './media-address.ts';
import { mediaEndpoint } from './media-endpoint.ts';
import { createMediaStore } from './media-on-disk.ts';
import { type MediaFile, type NewMedia, longestCopyOf, type MediaStore } from './media-store.ts';
import { PictureVersions } from './picture-versions.ts';
import { mediaFiles } from './serve-routes.ts';
import { PorchlightError } from '../contract/error.ts';
import { createFetchOnce, type FetchOnceOptions } from './fetch-once.ts';

/** A change to a file. `versions`: the paths of a picture's versions. */
export interface ChangedFile {
  readonly path: string;
  readonly change: MediaChange['change'];
  readonly versions?: readonly string[];
}

/**
 * Does what follows a change to a file. `newlyConverted`: a picture that was added after this start was converted. Never
 * rejects.
 */
export type FollowFile = (on: MediaChange['change'] | 'newlyConverted', file: ChangedFile) => Promise<void>;

interface MediaDeps extends Pick<
  Common,
  'dataDir' | 'versions' | 'records' | 'work' | 'fetch' | 'log' | 'clock' | 'base' | 'background'
> {
  readonly pictures: Pictures;
  readonly settings: () => Pick<Settings['micropub'], 'mediaLimitBytes' | 'removePhotoMetadata'>;
  readonly authorize: Authorize;
  /** Records that an app has deleted a file. `grantId`: the ID of the permission that the app used. */
  readonly deletedBy: (file: MediaFile, grantId: string) => Promise<void>;
}

/** Opens the part of the service that stores the owner's files, their smaller versions, and copies of files elsewhere. */
export function openMedia(deps: MediaDeps) {
  const { versions, records, log, clock, base, settings, authorize, pictures, deletedBy } = deps;
  let follow: FollowFile = () => Promise.reject(new Error('A file was changed before anything follows.'));
  const onDisk = { dir: path.join(deps.dataDir, 'media'), now: clock, log };
  const limitBytes = () => settings().mediaLimitBytes;
  const removeMetadata = () => settings().removePhotoMetadata;
  const pictureVersions = new PictureVersions({
    dir: onDisk.dir,
    pictures,
    log,
    store: createMediaStore({ ...onDisk, records, versions, pictures, limitBytes, removeMetadata }),
    made: ({ path: file }, isNew) =>
      deps.background(follow(isNew ? 'newlyConverted' : 'converted', { path: file, change: 'converted' })),
  });
  const { store } = pictureVersions;
  const copies = createCopies(deps.work, deps.fetch, store, () => versions.changed('media'));

  function changed({ path: file }: MediaFile, change: MediaChange['change']): Promise<void> {
    return follow(change, { path: file, change, versions: versionPaths(file) });
  }

  /**
   * Returns the file that a page shows for a URL in a post: the owner's own file, or a local copy of a file on another
   * server.
   */
  async function shown(url: string): Promise<(MediaFile & ShownPicture) | undefined> {
    const ours = mediaPathOf(url);
    const file =
      ours === undefined
        ? URL.canParse(url)
          ? await copies.copyOf(new URL(url).href)
          : undefined
        : await store.get(ours);
    return file && { ...file, ...shownPicture(file, await pictureVersions.of(file)) };
  }

  /** Returns the local path of a file or of a version of a picture; undefined if it doesn't exist. `path`: `/media/...`. */
  async function fileAt(mediaPath: string): Promise<string | undefined> {
    const version = versionNameIn(mediaPath);
    const file = await store.get(version?.original ?? mediaPath);
    if (file === undefined || version === undefined) return file && store.fileOf(file);
    const exists = (await pictureVersions.of(file)).includes(version.ending);
    return exists ? pictureVersions.fileOf(file, version.ending) : undefined;
  }

  /** Stores a file that an app sent with a post. `discard`: deletes it again. */
  async function keep(content: AsyncIterable<Uint8Array>, about: NewMedia) {
    const file = await store.add(content, about);
    await changed(file, 'added');
    return {
      url: new URL(file.path, base()).href,
      async discard() {
        await store.delete(file.path);
        await changed(file, 'deleted');
      },
    };
  }

  return {
    routes: [
      mediaEndpoint({ store, base, authorize, limitBytes, changed, deletedBy, now: clock }),
      mediaFiles(store, pictureVersions),
    ],
    store,
    versions: pictureVersions,
    copies,
    changed,
    shown,
    fileAt,
    keep,
    /** Sets what follows a change to a file. Call it once, before `start`. */
    followedBy: (what: FollowFile) => void (follow = what),

    start: () => pictureVersions.start(),
    /** Stops the conversion of pictures. Call it before the pictures are closed, and `stop` afterwards. */
    interrupt: () => pictureVersions.interrupt(),
    async stop(): Promise<void> {
      await pictureVersions.stop();
      await store.close();
    },
  };
}

export type Media = ReturnType<typeof openMedia>;

const limits = { maxBytes: 30_000_000, timeoutMs: 60_000, places: { all: 2, ofSite: 2 } };
const accept = 'image/*, video/*, audio/*';

/**
 * Creates the store of copies of the pictures, videos and audio files that posts embed from other servers, so that
 * visitors' browsers don't contact those servers. It downloads files with the guarded fetch (see createGuardedFetch), and
 * discards downloads that are nothing of that kind. Files over the size limit are not copied, so posts still link to the
 * originals. `store`: of the copies. The record of each has the URL of the original. `changed`: called after a copy has been
 * stored.
 */
export function createCopies(
  work: FetchOnceOptions['work'],
  fetch: FetchOnceOptions['fetch'],
  store: Pick<MediaStore, 'add' | 'copyOf' | 'wasCopyDeleted' | 'delete'>,
  changed: () => void,
) {
  const copies = createFetchOnce({
    work,
    fetch,
    accept,
    ...limits,
    kind: 'post-picture',
    schedule: 'postPicture',
    has: async (url) => (await store.copyOf(url)) !== undefined,
    async keep({ url }, { headers, body }) {
      const file = await store.add(once(body), {
        name: decodedName(url),
        claimedType: headers.get('content-type') ?? undefined,
        copyOf: url,
      });
      if (file.kind === 'document') {
        await store.delete(file.path);
        throw new PorchlightError('invalid_request', 'The file isn’t a picture, a video or a recording.');
      }
      changed();
      return undefined;
    },
    // A change to a post asks again.
    gaveUp: () => undefined,
  });
  return {
    /**
     * Queues the files that have no copy; see FetchOnce. `alsoDeleted`: whether files are copied again whose copy was
     * deleted.
     */
    async request(urls: readonly string[], { alsoDeleted = true } = {}): Promise<void> {
      const short = urls.filter(({ length }) => length <= longestCopyOf);
      if (alsoDeleted) return copies.request(short);
      const kept = await Promise.all(short.map(async (url) => !(await store.wasCopyDeleted(url))));
      return copies.request(short.filter((_url, index) => kept[index]));
    },
    /** Returns the copy of the file at a URL; undefined if there is none yet. */
    copyOf: (url: string): Promise<MediaFile | undefined> => store.copyOf(url),
  };
}

/** Returns the decoded last segment of a URL's path, for use as the file's name. */
function decodedName(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
