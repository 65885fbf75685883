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
  /** The folder `webmentions`; the pictures are in one of their own in it. */
  readonly dir: string;
  readonly fetch: GuardedFetch;
  readonly pictures: Pick<Pictures, 'thumbnail'>;
  readonly now: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly onRecovered?: PictureQueueOptions['onRecovered'];
  /** Bytes that all pictures together may have; 200 MB by default. */
  readonly mostBytes?: number;
}

/**
 * Our own small copies of the pictures that mentions name, so that reading a page asks no stranger's server. Each is a
 * still WebP without metadata, of at most 96 pixels (avatars) or 480 (photos).
 */
export interface MentionPictures {
  /** Has pictures fetched that are not here. Resolves once that is noted on disk; what is no web address is left out. */
  want(urls: readonly string[], kind?: PictureKind): Promise<void>;
  /** The path of our copy below the public origin; undefined where it is not here, and then it is wanted. */
  shown(url: string, kind?: PictureKind): Promise<string | undefined>;
  /** Our copy as a data: URL, for the owner's window; null where it is not here, and then it is wanted. */
  dataUrl(url: string, kind?: PictureKind): Promise<string | null>;
  /** Serves our copies to everybody. */
  readonly routes: FastifyPluginCallback;
  /** Goes on with what waits. */
  resume(): Promise<void>;
  /** Ends what is under way; it is tried again after the next start. */
  stop(): Promise<void>;
}

const edges: Readonly<Record<PictureKind, number>> = { avatar: 96, photo: 480 };
const maxBytes = 5_000_000;
const timeoutMs = 10_000;
/** Each costs a socket, and up to 5 MB for what was received. */
const places = { all: 16, ofSite: 2 };
const longestUrl = 2048;
const longestDataUrl = 1_000_000;
const longestTimer = 86_400_000;
/** A server in trouble is left alone for this long, whatever else it has. */
const restMs = 10 * 60_000;

export function createMentionPictures(deps: MentionPicturesDeps): MentionPictures {
  const { dir, fetch, pictures, now, log, onRecovered, mostBytes = 200_000_000 } = deps;
  const folder = pictureFolder({ dir: join(dir, 'pictures'), now, mostBytes });
  const queue = pictureQueue({ file: join(dir, 'pictures', 'waiting.json'), now, onRecovered });
  const turns = createHostTurns({ begin, limits: places });
  /** What stands in line or is under way, by address. */
  const kinds = new Map<string, PictureKind>();
  const underWay = new Set<Promise<void>>();
  const restingUntil = new Map<string, number>();
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let tidied: Promise<void> | undefined;

  /** Puts what is due in line, starts as much as there are places for, and sets the clock for the rest. */
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
        // A disk that is full would be asked again at once, without end.
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
    // Stopping is no fault of the other server.
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

  /** The name of a copy that is here; one that is not is wanted, without anybody waiting for it. */
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

/** The address of a picture as it is fetched; undefined for what is none, or leads nowhere on the web. */
function addressOf(text: string): string | undefined {
  if (text.length > longestUrl || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  url.hash = '';
  if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    return undefined;
  return url.href;
}

const nameOf = (url: string) => createHash('sha256').update(url).digest('hex');
