import { join } from 'node:path';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed, Maybe } from '../contract/shapes.ts';
import type { Clock } from '../platform/clock.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Log } from '../platform/log.ts';
import { boundedCache } from '../storage/bounded-cache.ts';
import { createFetchOnce, type FetchOnce, type FetchOnceOptions } from '../pictures/fetch-once.ts';
import { pictureName } from '../pictures/waiting-pictures.ts';
import { openDocument } from '../storage/document.ts';
import type { MediaFile, MediaStore } from './media-store.ts';

/** The result of copying the file at a URL: the copy's path, or why copying failed. */
const Copy = closed({ url: Type.String(), path: Maybe(), failed: Maybe() });

export const copyFormat = { schema: Copy, format: 1, initial: { url: '', path: null, failed: null } };

export interface CopiesDeps {
  /** The media folder. Its `copies` subfolder contains the result for each URL. */
  readonly dir: string;
  readonly store: Pick<MediaStore, 'add' | 'get' | 'delete'>;
  readonly fetch: GuardedFetch;
  readonly now: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly onRecovered?: FetchOnceOptions['onRecovered'];
  /** Called after a copy has been stored. */
  readonly changed?: () => void;
}

/**
 * Stores copies of the pictures, videos and audio files that posts embed from other servers, so that visitors' browsers
 * don't contact those servers. Files over the size limit are not copied, so posts still link to the originals.
 */
export interface Copies extends FetchOnce {
  /** Returns the copy of the file at a URL; undefined if there is none yet. */
  copyOf(url: string): Promise<MediaFile | undefined>;
}

const limits = { maxBytes: 30_000_000, timeoutMs: 60_000, places: { all: 2, ofSite: 2 } };
const accept = 'image/*, video/*, audio/*';
const openDocuments = 200;

/**
 * Creates the store of copies. It downloads files with the guarded fetch (see createGuardedFetch), and discards
 * downloads that are not pictures, videos or audio files.
 */
export function createCopies({ dir, store, fetch, now, log, onRecovered, changed }: CopiesDeps): Copies {
  const folder = join(dir, 'copies');
  const notes = boundedCache(openDocuments, (name) =>
    openDocument({
      file: join(folder, `${name}.json`),
      ...copyFormat,
      onRecovered,
    }),
  );

  async function copyOf(url: string): Promise<MediaFile | undefined> {
    const path = await notes.use(pictureName(url), ({ data }) => (data.url === url ? data.path : null));
    return path === null ? undefined : store.get(path);
  }

  const note = (url: string, outcome: { path: string | null; failed: string | null }) =>
    notes.use(pictureName(url), (document) =>
      document.update((draft) => void Object.assign(draft, { url, ...outcome })),
    );

  const copies = createFetchOnce({
    ...{ fetch, now, log, onRecovered, accept, ...limits },
    file: join(folder, 'waiting.json'),
    schedule: 'postPicture',
    has: async (url) => (await copyOf(url)) !== undefined,
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
      await note(url, { path: file.path, failed: null });
      changed?.();
    },
    givenUp: (url, why) => note(url, { path: null, failed: why }),
  });

  return { ...copies, copyOf };
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
