import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyPluginCallback } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Log } from '../platform/log.ts';
import type { Pictures } from '../platform/pictures.ts';
import { siteOfHost } from '../platform/site-name.ts';
import { createHostTurns } from './host-turns.ts';
import { pictureFolder } from './picture-folder.ts';
import { pictureQueue, type PictureKind, type PictureQueueOptions } from './picture-queue.ts';
import { pictureRoutes } from './picture-routes.ts';
import { hostOf } from '../mentions/own-sites.ts';

export interface MentionPicturesDeps {
  /** The folder `webmentions`. The pictures are in a subfolder. */
  readonly dir: string;
  readonly fetch: GuardedFetch;
  readonly pictures: Pick<Pictures, 'thumbnail'>;
  readonly now: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly onRecovered?: PictureQueueOptions['onRecovered'];
  /** The most bytes for all pictures together; 200 MB by default. */
  readonly mostBytes?: number;
}

/**
 * Our own small copies of the pictures in mentions, so that showing a page contacts no stranger's server. Each is a
 * still WebP without metadata, of at most 96 pixels (avatars) or 480 (photos).
 */
export interface MentionPictures {
  /**
   * Queues pictures that aren't stored here. Resolves once the queue is on disk. Ignores anything but web addresses.
   */
  want(urls: readonly string[], kind?: PictureKind): Promise<void>;
  /**
   * Returns the path of our copy, relative to the public origin. Without a copy, returns undefined and queues the
   * picture.
   */
  shown(url: string, kind?: PictureKind): Promise<string | undefined>;
  /** Returns our copy as a data: URL, for the owner's window. Without a copy, returns null and queues the picture. */
  dataUrl(url: string, kind?: PictureKind): Promise<string | null>;
  /** The routes that serve our copies to everyone. */
  readonly routes: FastifyPluginCallback;
  /** Resumes fetching the pictures in the queue. */
  resume(): Promise<void>;
  /** Stops the fetches under way. Their pictures are fetched again after the next start. */
  stop(): Promise<void>;
}

const edges: Readonly<Record<PictureKind, number>> = { avatar: 96, photo: 480 };
const maxBytes = 5_000_000;
const timeoutMs = 10_000;
/** Each fetch costs a socket and up to 5 MB for the response. */
const places = { all: 16, ofSite: 2 };
const longestUrl = 2048;
const longestDataUrl = 1_000_000;
const longestTimer = 86_400_000;
/** How long to leave a server in trouble alone, for all of its pictures. */
const restMs = 10 * 60_000;

export function createMentionPictures(deps: MentionPicturesDeps): MentionPictures {
  const { dir, fetch, pictures, now, log, onRecovered, mostBytes = 200_000_000 } = deps;
  const folder = pictureFolder({ dir: join(dir, 'pictures'), now, mostBytes });
  const queue = pictureQueue({ file: join(dir, 'pictures', 'waiting.json'), now, onRecovered });
  const turns = createHostTurns({ begin, limits: places });
  /** Pictures that are queued for their turn or being fetched, by URL. */
  const kinds = new Map<string, PictureKind>();
  const underWay = new Set<Promise<void>>();
  const restingUntil = new Map<string, number>();
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let tidied: Promise<void> | undefined;

  /** Queues the pictures that are due, starts as many fetches as the limits allow, and sets a timer for the rest. */
  async function work(): Promise<void> {
    clearTimeout(timer);
    await (tidied ??= folder.tidy());
    const waiting = await queue.waiting();
    if (ending.signal.aborted) return;
    for (const [host, until] of restingUntil) if (until <= now()) restingUntil.delete(host);
    let soonest = Infinity;
    for (const { url, kind, next } of waiting) {
      const host = hostOf(new URL(url));
      const dueAt = Math.max(next, restingUntil.get(host) ?? 0);
      if (dueAt > now()) {
        soonest = Math.min(soonest, dueAt);
      } else if (!kinds.has(url)) {
        kinds.set(url, kind);
        turns.add(url, host, siteOfHost(host));
      }
    }
    turns.start();
    if (soonest === Infinity) return;
    clearTimeout(timer);
    timer = setTimeout(wake, Math.min(longestTimer, soonest - now())).unref();
  }

  function begin(url: string): Promise<void> | undefined {
    const kind = kinds.get(url);
    const host = hostOf(new URL(url));
    if (kind === undefined || ending.signal.aborted || (restingUntil.get(host) ?? 0) > now()) {
      kinds.delete(url);
      return undefined;
    }
    const run: Promise<void> = attempt(url, host, kind)
      .catch((error: unknown) => {
        // Without this pause, a full disk would cause an endless loop of attempts.
        restingUntil.set(host, now() + restMs);
        log.warn({ err: error }, 'a picture of a mention could not be kept');
      })
      .finally(() => {
        kinds.delete(url);
        underWay.delete(run);
      })
      .then(wake);
    underWay.add(run);
    return run;
  }

  function wake(): void {
    work().catch((error: unknown) => log.warn({ err: error }, 'the pictures that wait could not be read'));
  }

  async function attempt(url: string, host: string, kind: PictureKind): Promise<void> {
    const name = nameOf(url);
    if (await folder.has(name)) return queue.settle(url);
    const answer = await fetch(url, {
      accept: 'image/*',
      maxBytes,
      timeoutMs,
      signal: ending.signal,
    }).catch(() => undefined);
    // A fetch that we stopped is not the other server's failure.
    if (ending.signal.aborted) return;
    if (answer === undefined || answer.status === 429 || answer.status >= 500)
      restingUntil.set(host, now() + restMs);
    const small =
      answer?.status === 200
        ? await folder.aside(name, answer.body, (file) =>
            pictures.thumbnail(file, { edge: edges[kind], from: { address: url } }),
          )
        : null;
    if (small === null) return queue.failed(url);
    await folder.keep(name, small);
    return queue.settle(url);
  }

  async function want(urls: readonly string[], kind: PictureKind = 'avatar'): Promise<void> {
    const missing: string[] = [];
    for (const url of new Set(urls.flatMap((text) => addressOf(text) ?? [])))
      if (!(await folder.has(nameOf(url)))) missing.push(url);
    if (missing.length === 0 || ending.signal.aborted) return;
    await queue.add(missing, kind);
    wake();
  }

  /** Returns the file name of our copy. Without a copy, queues the picture in the background. */
  async function found(text: string, kind: PictureKind | undefined): Promise<string | undefined> {
    const url = addressOf(text);
    if (url === undefined) return undefined;
    if (await folder.has(nameOf(url))) return nameOf(url);
    want([url], kind).catch((error: unknown) =>
      log.warn({ err: error }, 'a picture that is wanted could not be noted'),
    );
    return undefined;
  }

  return {
    want,

    async shown(url, kind) {
      const name = await found(url, kind);
      return name === undefined ? undefined : `/webmention-pictures/${name}.webp`;
    },

    async dataUrl(url, kind) {
      const name = await found(url, kind);
      const bytes = name === undefined ? undefined : await folder.read(name);
      const text = bytes && `data:image/webp;base64,${bytes.toString('base64')}`;
      return text === undefined || text.length > longestDataUrl ? null : text;
    },

    routes: pictureRoutes((name) => folder.read(name)),

    resume: work,

    async stop() {
      ending.abort();
      clearTimeout(timer);
      await Promise.allSettled(underWay);
    },
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

const nameOf = (url: string) => createHash('sha256').update(url).digest('hex');
