import { PorchlightError } from '../contract/error.ts';
import { createFetchOnce, type FetchOnceOptions } from './fetch-once.ts';
import { longestCopyOf, type MediaFile, type MediaStore } from './media-store.ts';

export interface CopiesDeps extends Pick<FetchOnceOptions, 'work' | 'fetch'> {
  /** The store of the copies. The record of each copy has the URL of the original. */
  readonly store: Pick<MediaStore, 'add' | 'copyOf' | 'wasCopyDeleted' | 'delete'>;
  /** Called after a copy has been stored. */
  readonly changed?: () => void;
}

/**
 * Stores copies of the pictures, videos and audio files that posts embed from other servers, so that visitors' browsers
 * don't contact those servers. Files over the size limit are not copied, so posts still link to the originals.
 */
export interface Copies {
  /**
   * Queues the files that have no copy; see FetchOnce. `alsoDeleted`: whether files are copied again whose copy was
   * deleted (default: true).
   */
  request(urls: readonly string[], options?: { readonly alsoDeleted?: boolean }): Promise<void>;
  /** Returns the copy of the file at a URL; undefined if there is none yet. */
  copyOf(url: string): Promise<MediaFile | undefined>;
}

const limits = { maxBytes: 30_000_000, timeoutMs: 60_000, places: { all: 2, ofSite: 2 } };
const accept = 'image/*, video/*, audio/*';

/**
 * Creates the store of copies. It downloads files with the guarded fetch (see createGuardedFetch), and discards
 * downloads that are not pictures, videos or audio files.
 */
export function createCopies({ work, store, fetch, changed }: CopiesDeps): Copies {
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
      changed?.();
      return undefined;
    },
    // A change to a post asks again.
    gaveUp: () => undefined,
  });
  return {
    async request(urls, { alsoDeleted = true } = {}) {
      const short = urls.filter(({ length }) => length <= longestCopyOf);
      if (alsoDeleted) return copies.request(short);
      const kept = await Promise.all(short.map(async (url) => !(await store.wasCopyDeleted(url))));
      return copies.request(short.filter((_url, index) => kept[index]));
    },
    copyOf: (url) => store.copyOf(url),
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
