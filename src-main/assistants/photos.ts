import { PorchlightError } from '../contract/error.ts';
import type { Bearer } from '../http/bearer.ts';
import { invalidRequest } from '../http/errors.ts';
import type { Common } from '../http/common.ts';
import type { MediaFile } from '../media/media-store.ts';
import type { Media } from '../media/part.ts';
import { FetchError } from '../platform/guarded-fetch.ts';

/** What assistants upload. */
export type AssistantPhotos = ReturnType<typeof assistantPhotos>;

export interface AssistantPhotosDeps extends Pick<Common, 'base' | 'fetch'> {
  readonly media: Pick<Media, 'store' | 'changed'>;
  /** Records that an app has added a file. */
  readonly uploaded: (file: MediaFile, grantId: string) => Promise<void>;
}

const mostBase64Bytes = 5_000_000;
const mostFetchedBytes = 20_000_000;
const fetchMs = 20_000;

interface Upload {
  readonly url?: string | undefined;
  readonly base64?: string | undefined;
  readonly name?: string | undefined;
}

/** Returns what assistants upload; see AssistantPhotos. */
export function assistantPhotos({ base, fetch, media, uploaded }: AssistantPhotosDeps) {
  /** @throws invalid_request */
  async function bytesOf({ url, base64 }: Upload): Promise<Uint8Array> {
    if ((url === undefined) === (base64 === undefined)) throw invalidRequest('Give either url or base64.');
    if (base64 !== undefined) return decoded(base64);
    const options = { accept: 'image/*', maxBytes: mostFetchedBytes, timeoutMs: fetchMs };
    const answer = await fetch(url ?? '', options).catch((error: unknown) => {
      // The reason could tell what is on the owner's network.
      if (error instanceof FetchError) throw invalidRequest('The photo could not be fetched.');
      throw error;
    });
    if (answer.status !== 200) throw invalidRequest('The photo could not be fetched.');
    return answer.body;
  }

  return {
    /** Stores a photo, and returns its address. */
    async upload(wish: Upload, { app, grantId }: Bearer) {
      const bytes = await bytesOf(wish);
      const name = wish.name ?? (wish.url === undefined ? 'photo' : nameIn(wish.url));
      const file = await media.store.add(asChunks(bytes), { name, uploadedBy: app });
      // A drawing can contain text and links, and needs an app with the permission `media` at the media endpoint.
      if (!file.type.startsWith('image/') || file.type === 'image/svg+xml') {
        await media.store.delete(file.path);
        throw new PorchlightError('invalid_request', 'This is not a photo.', 400);
      }
      await Promise.all([media.changed(file, 'added'), uploaded(file, grantId)]);
      const { width, height, type } = file;
      return { url: new URL(file.path, base()).href, type, width, height };
    },
  };
}

function decoded(base64: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw invalidRequest('base64 is not valid.');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > mostBase64Bytes) throw invalidRequest('The photo is larger than 5 MB. Give its url.');
  return bytes;
}

const nameIn = (url: string): string =>
  URL.canParse(url) ? (new URL(url).pathname.split('/').at(-1) ?? 'photo') : 'photo';

async function* asChunks(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(bytes);
}
