import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyPluginCallback } from 'fastify';
import { PorchlightError } from '../../contract/error.ts';
import { nothingHere } from '../../http/errors.ts';
import {
  createFetchOnce,
  type FetchOnceOptions,
  type PictureKind,
  pictureName,
} from '../../media/fetch-once.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { nodeOperations, renamePatiently } from '../../storage/file-operations.ts';
import { namesIn } from '../../storage/file-facts.ts';
import { verifiedToWrite } from '../../storage/held-folders.ts';
import { mustHaveReserve } from '../../storage/reserve.ts';
import { notNow, type Pictures } from '../../untrusted/pictures/pictures.ts';

export interface MentionPicturesDeps extends Pick<FetchOnceOptions, 'work' | 'fetch'> {
  /** The folder `webmentions`. The pictures are in a subfolder. */
  readonly dir: string;
  readonly pictures: Pick<Pictures, 'thumbnail'>;
  readonly now: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** Called after pictures were stored or deleted. */
  readonly changed?: () => void;
  /** The maximum total size of the pictures, in bytes; 200 MB by default. */
  readonly mostBytes?: number;
}

export type MentionPictures = ReturnType<typeof createMentionPictures>;

const edges: Readonly<Record<PictureKind, number>> = { avatar: 96, photo: 480 };
/** The limits on fetching pictures. Each fetch uses a socket and up to 5 MB. */
const pictureLimits = {
  maxBytes: 5_000_000,
  timeoutMs: 10_000,
  places: { all: 16, ofSite: 2 },
  mostListed: 2000,
};
const longestUrl = 2048;
const longestDataUrl = 1_000_000;

/**
 * Creates and serves our own small copies of the pictures in mentions, so that browsers don't contact strangers'
 * servers. Each copy is a WebP file without animation or metadata, of at most 96 pixels (avatars) or 480 pixels
 * (photos).
 */
export function createMentionPictures(deps: MentionPicturesDeps) {
  const { dir, work, fetch, pictures, now, log, mostBytes = 200_000_000 } = deps;
  const folder = pictureFolder(join(dir, 'pictures'), now, mostBytes);
  const once = createFetchOnce({
    work,
    fetch,
    ...pictureLimits,
    kind: 'mention-picture',
    schedule: 'mentionPicture',
    retriesAll: true,
    has: (url) => folder.has(pictureName(url)),
    async keep({ url, kind = 'avatar' }, { body }) {
      const small = await folder.aside(pictureName(url), body, (file) =>
        pictures.thumbnail(file, { edge: edges[kind], from: { address: url } }),
      );
      if (small === notNow)
        throw new PorchlightError(
          'temporarily_unavailable',
          'Porchlight is too busy to read the picture.',
          429,
        );
      if (small === null) throw new PorchlightError('invalid_request', 'The file isn’t a picture.');
      try {
        await folder.keep(pictureName(url), small);
      } finally {
        deps.changed?.();
      }
      return undefined;
    },
  });

  const request = (urls: readonly string[], kind: PictureKind = 'avatar') =>
    once.request(
      urls.flatMap((text) => addressOf(text) ?? []),
      kind,
    );

  /** Returns the file name of our copy. If there is no copy, queues the picture in the background. */
  async function found(text: string, kind: PictureKind | undefined): Promise<string | undefined> {
    const url = addressOf(text);
    if (url === undefined) return undefined;
    if (await folder.has(pictureName(url))) return pictureName(url);
    request([url], kind).catch((error: unknown) =>
      log.warn({ err: error }, 'a picture that is wanted could not be noted'),
    );
    return undefined;
  }

  return {
    /**
     * Queues the pictures that aren't stored yet (see FetchOnce). Ignores URLs that aren't web addresses. `kind`:
     * `avatar` if absent.
     */
    request,

    /**
     * Returns the path of our copy, relative to the public origin. If there is no copy, returns undefined and queues the
     * picture.
     */
    async shown(url: string, kind?: PictureKind): Promise<string | undefined> {
      const name = await found(url, kind);
      return name === undefined ? undefined : `/webmention-pictures/${name}.webp`;
    },

    /** Returns our copy as a data: URL, for the owner's window. If there is no copy, returns null and queues the picture. */
    async dataUrl(url: string, kind?: PictureKind): Promise<string | null> {
      const name = await found(url, kind);
      const bytes = name === undefined ? undefined : await folder.read(name);
      const text = bytes && `data:image/webp;base64,${bytes.toString('base64')}`;
      return text === undefined || text.length > longestDataUrl ? null : text;
    },

    /** The public routes that serve our copies. */
    routes: pictureRoutes((name) => folder.read(name)),
  };
}

/** Returns the URL from which to fetch a picture; undefined if `text` isn't a web address or includes a user name. */
function addressOf(text: string): string | undefined {
  if (text.length > longestUrl || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  url.hash = '';
  if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    return undefined;
  return url.href;
}

/**
 * Serves GET and HEAD requests for `/webmention-pictures/<hash>.webp`: our small copies of strangers' pictures. As a
 * precaution, the headers tell browsers to use these files only as pictures. `read`: returns the picture with a given
 * name (64 hex digits).
 */
function pictureRoutes(read: (name: string) => Promise<Buffer | undefined>): FastifyPluginCallback {
  return (app, _options, done) => {
    app.get<{ Params: { file: string } }>('/webmention-pictures/:file', async ({ params }, reply) => {
      const name = /^([0-9a-f]{64})\.webp$/.exec(params.file)?.[1];
      const bytes = name === undefined ? undefined : await read(name);
      if (bytes === undefined) throw nothingHere();
      return reply
        .type('image/webp')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .send(bytes);
    });
    done();
  };
}

const largestCopy = 1_000_000;
const dayMs = 86_400_000;
/**
 * If the limit is exceeded, pictures are deleted until they take up only this fraction of `mostBytes`. A margin is
 * needed because new pictures keep arriving.
 */
const roomAfter = 0.9;

/**
 * Stores small copies of strangers' pictures on disk, each as `<name>.webp`. The name is the SHA-256 of the original's
 * URL, in hex. If a copy is lost, the original is fetched again. Above a total size (`mostBytes`), the least recently used
 * pictures are deleted.
 */
function pictureFolder(dir: string, now: Clock, mostBytes: number) {
  const fileOf = (name: string) => join(dir, `${name}.webp`);
  /** The size of all pictures in bytes; undefined until they have been counted. */
  let total: number | undefined;
  let trimming: Promise<void> | undefined;
  let tidied: Promise<void> | undefined;

  /** Deletes the temporary files of a process that was killed. Never fails. */
  async function tidy(): Promise<void> {
    for (const entry of await namesIn(dir).catch(() => []))
      if (/^[0-9a-f]{64}\.(tmp|fetched)$/.test(entry))
        await rm(join(dir, entry), { force: true }).catch(() => undefined);
  }

  async function pictures(): Promise<{ file: string; bytes: number; usedAt: number }[]> {
    const found = [];
    for (const entry of await namesIn(dir)) {
      if (!entry.endsWith('.webp')) continue;
      const file = join(dir, entry);
      const about = await stat(file).catch(() => undefined);
      if (about) found.push({ file, bytes: about.size, usedAt: about.mtimeMs });
    }
    return found;
  }

  async function trim(): Promise<void> {
    const all = (await pictures()).sort((a, b) => a.usedAt - b.usedAt);
    let left = all.reduce((sum, { bytes }) => sum + bytes, 0);
    if (left > mostBytes) {
      for (const { file, bytes } of all) {
        if (left <= mostBytes * roomAfter) break;
        await rm(file, { force: true });
        left -= bytes;
      }
    }
    total = left;
  }

  return {
    /** Returns whether a picture is stored, and counts the call as a use of the picture. */
    async has(name: string): Promise<boolean> {
      const about = await stat(fileOf(name)).catch(() => undefined);
      if (about === undefined) return false;
      // It is enough to update the time of last use once a day.
      if (about.mtimeMs < now() - dayMs) {
        const at = new Date(now());
        await utimes(fileOf(name), at, at).catch(() => undefined);
      }
      return true;
    },

    async read(name: string): Promise<Buffer | undefined> {
      try {
        // A file that is larger than any copy of ours comes from somebody else's backup.
        return (await stat(fileOf(name))).size > largestCopy ? undefined : await readFile(fileOf(name));
      } catch {
        return undefined;
      }
    },

    async keep(name: string, bytes: Uint8Array): Promise<void> {
      const temporary = join(dir, `${name}.tmp`);
      mustHaveReserve(temporary);
      await nodeOperations.makeFolder(dir);
      await verifiedToWrite(dir, async () => {
        await writeFile(temporary, bytes, { mode: 0o600, flush: true });
        const at = new Date(now());
        await utimes(temporary, at, at);
        await renamePatiently(temporary, fileOf(name));
      });
      if (total !== undefined) total += bytes.length;
      if (total !== undefined && total <= mostBytes) return;
      trimming ??= trim().finally(() => (trimming = undefined));
      await trimming;
    },

    /** Writes `bytes` to a temporary file, runs `work` on the file, and then deletes the file. */
    async aside<R>(name: string, bytes: Uint8Array, work: (file: string) => Promise<R>): Promise<R> {
      await (tidied ??= tidy());
      const file = join(dir, `${name}.fetched`);
      mustHaveReserve(file);
      await nodeOperations.makeFolder(dir);
      await verifiedToWrite(file, () => writeFile(file, bytes, { mode: 0o600 }));
      try {
        return await work(file);
      } finally {
        await rm(file, { force: true });
      }
    },
  };
}
