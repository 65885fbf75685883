import type { Bearer } from '../http/authorize.ts';
import { optionalField, type Fields } from '../http/form.ts';
import { windowOf } from '../http/list-window.ts';
import type { Clock } from '../platform/clock.ts';
import { mediaPathOf } from './media-address.ts';
import { checkMayUpload, maySeeFile, onlyFilesOf } from './media-scope.ts';
import type { MediaFile, MediaFilter, MediaStore } from './media-store.ts';
import { invalidRequest } from '../http/errors.ts';

const usualLimit = 20;
const mostItems = 100;
/**
 * The maximum age, in ms, of the file that q=last returns. Apps send this query just after they have uploaded a file.
 */
const recentMs = 3_600_000;

const configuration = {
  q: ['config', 'source', 'last'],
  properties: ['url', 'published', 'mime_type', 'width', 'height'],
};

export interface MediaQueryDeps {
  readonly store: MediaStore;
  readonly base: () => string;
  readonly now: Clock;
}

/**
 * Responds to a query to the media endpoint (MX-22 to MX-25). Like the Micropub endpoint, treats a request without `q`
 * as q=config.
 * @throws insufficient_scope, invalid_request
 */
export async function answerMediaQuery(
  { store, base, now }: MediaQueryDeps,
  query: Fields,
  bearer: Pick<Bearer, 'scopes' | 'app'>,
): Promise<object> {
  checkMayUpload(bearer.scopes);
  const only = onlyFilesOf(bearer);
  const origin = base();
  switch (optionalField(query, 'q') ?? 'config') {
    case 'config':
      return configuration;
    case 'source': {
      const url = optionalField(query, 'url');
      if (url === undefined) return listFiles(store, { base: origin, only }, query);
      return itemOf(await fileAt(store, url, only), origin);
    }
    case 'last': {
      const [last] = (await store.list({ limit: 1, filter: { uploadedBy: only } })).items;
      const isRecent = last !== undefined && now() - Date.parse(last.uploadedAt) < recentMs;
      return isRecent ? { url: mediaUrl(last, origin) } : {};
    }
    default:
      throw invalidRequest('This server does not support this query.');
  }
}

/** Returns the public URL of a file. `base`: the public origin. */
export const mediaUrl = ({ path }: MediaFile, base: string) => new URL(path, base).href;

async function listFiles(
  store: MediaStore,
  { base, only }: { base: string; only: string | undefined },
  query: Fields,
): Promise<object> {
  const { limit = usualLimit, offset, filter: text } = windowOf(query);
  const type = optionalField(query, 'mime_type')
    ?.toLowerCase()
    .replace(/\/\*?$/, '');
  const filter: MediaFilter = { text, type, uploadedBy: only };
  const { items } = await store.list({ limit: Math.min(limit, mostItems), offset, filter });
  return { items: items.map((file) => itemOf(file, base)) };
}

async function fileAt(store: MediaStore, url: string, only: string | undefined): Promise<MediaFile> {
  const path = mediaPathOf(url);
  const file = path === undefined ? undefined : await store.get(path);
  if (!file || !maySeeFile(file, only)) throw fileNotFound();
  return file;
}

/** Returns the error for a requested URL that doesn't belong to a file on this server. */
export const fileNotFound = () => invalidRequest('The file with the requested URL was not found.');

function itemOf(file: MediaFile, base: string): object {
  const { type, width, height, uploadedAt } = file;
  return {
    url: mediaUrl(file, base),
    published: uploadedAt,
    mime_type: type,
    ...(width !== null && height !== null && { width, height }),
  };
}
