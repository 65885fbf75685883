import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed, Maybe } from '../contract/shapes.ts';
import type { Clock } from '../platform/clock.ts';
import { FetchError, type GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Log } from '../platform/log.ts';
import { boundedCache } from '../storage/bounded-cache.ts';
import { openDocument, type Document, type DocumentOptions } from '../storage/document.ts';
import type { MediaFile, MediaStore } from './media-store.ts';

/** The outcome for one picture URL: the path of the copy, or the reason why there is none. */
const Copy = closed({ url: Type.String(), path: Maybe(), failed: Maybe() });

const Wanted = closed({ url: Type.String(), tries: Type.Integer(), next: Type.Number() });
const Waiting = closed({ waiting: Type.Array(Wanted) });

export const copyFormat = { schema: Copy, format: 1, initial: { url: '', path: null, failed: null } };
export const waitingCopiesFormat = { schema: Waiting, format: 1, initial: { waiting: [] } };

export interface CopiesDeps {
  /** The media folder; notes about copies are kept in its `copies` subfolder. */
  readonly dir: string;
  readonly store: Pick<MediaStore, 'add' | 'get' | 'delete'>;
  readonly fetch: GuardedFetch;
  readonly now: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly onRecovered?: DocumentOptions<typeof Copy>['onRecovered'];
}

/** Keeps copies of pictures that posts link to, so that a visitor's browser contacts no other server. */
export interface Copies {
  /**
   * Queues the pictures at these URLs to be copied, each once. Resolves when the queue is on disk, so that it survives
   * a restart.
   */
  want(urls: readonly string[]): Promise<void>;
  /** Returns our copy of the picture at a URL, or undefined if there is none yet. */
  copyOf(url: string): Promise<MediaFile | undefined>;
  /** Resumes copying the queued pictures. */
  resume(): Promise<void>;
  /** Aborts downloads in progress; they are retried after the next start. */
  stop(): Promise<void>;
}

const minute = 60_000;
/** The pauses after the first, second and further attempts that failed for a temporary reason, in ms. */
const pauses = [minute, 10 * minute, 60 * minute, 6 * 60 * minute, 24 * 60 * minute];
const maxBytes = 30_000_000;
const timeoutMs = 30_000;
const atOnce = 2;
const openDocuments = 200;
const longestTimer = 24 * 60 * minute;

/**
 * Creates the store of picture copies. It downloads through the guarded fetch and discards downloads that are not
 * pictures.
 */
export function createCopies({ dir, store, fetch, now, log, onRecovered }: CopiesDeps): Copies {
  const folder = join(dir, 'copies');
  const notes = boundedCache(openDocuments, (name) =>
    openDocument({
      file: join(folder, `${name}.json`),
      ...copyFormat,
      onRecovered,
    }),
  );
  let opened: Promise<Document<Static<typeof Waiting>>> | undefined;
  const queue = () =>
    (opened ??= openDocument({
      file: join(folder, 'waiting.json'),
      ...waitingCopiesFormat,
      onRecovered,
    }));
  const underWay = new Map<string, Promise<void>>();
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  async function copyOf(url: string): Promise<MediaFile | undefined> {
    const path = await notes.use(nameOf(url), ({ data }) => (data.url === url ? data.path : null));
    return path === null ? undefined : store.get(path);
  }

  /** Starts the attempts that are due, up to the limit on simultaneous ones, and sets a timer for the next. */
  async function work(): Promise<void> {
    if (ending.signal.aborted) return;
    clearTimeout(timer);
    const { waiting } = (await queue()).data;
    const ready = waiting.filter(({ url, next }) => next <= now() && !underWay.has(url));
    for (const wanted of ready.slice(0, Math.max(0, atOnce - underWay.size))) {
      const run = attempt(wanted)
        .catch((error: unknown) => log.warn({ err: error }, 'a picture could not be copied'))
        .finally(() => underWay.delete(wanted.url))
        .then(wake);
      underWay.set(wanted.url, run);
    }
    const later = waiting.filter(({ next }) => next > now()).map(({ next }) => next - now());
    if (later.length > 0) timer = setTimeout(wake, Math.min(longestTimer, ...later)).unref();
  }

  function wake(): void {
    work().catch((error: unknown) => log.warn({ err: error }, 'the pictures that wait could not be read'));
  }

  async function attempt({ url, tries }: Static<typeof Wanted>): Promise<void> {
    const result = await copy(url).catch((error: unknown) => failureOf(error));
    if (ending.signal.aborted && 'failed' in result) return; // aborted by shutdown: not a failed attempt
    const pause = 'failed' in result && result.mayPass ? pauses[tries] : undefined;
    if (pause !== undefined) {
      await (
        await queue()
      ).update((draft) => {
        const found = draft.waiting.find((one) => one.url === url);
        if (found) Object.assign(found, { tries: tries + 1, next: now() + pause });
      });
      return;
    }
    const note =
      'failed' in result ? { path: null, failed: result.failed } : { path: result.path, failed: null };
    await notes.use(nameOf(url), (document) =>
      document.update((draft) => void Object.assign(draft, { url, ...note })),
    );
    await (
      await queue()
    ).update((draft) => {
      draft.waiting = draft.waiting.filter((one) => one.url !== url);
    });
  }

  async function copy(url: string): Promise<MediaFile> {
    const { status, headers, body } = await fetch(url, {
      accept: 'image/*',
      maxBytes,
      timeoutMs,
      signal: ending.signal,
    });
    if (status !== 200)
      throw new PorchlightError('fetch_failed', `The other server answered with status ${status}.`, status);
    const file = await store.add(once(body), {
      name: decodedName(url),
      claimedType: headers.get('content-type') ?? undefined,
      copyOf: url,
    });
    if (file.kind === 'image') return file;
    await store.delete(file.path);
    throw new PorchlightError('invalid_request', 'The file isn’t a picture.');
  }

  return {
    copyOf,

    async want(urls) {
      const missing: string[] = [];
      for (const url of new Set(urls)) if ((await copyOf(url)) === undefined) missing.push(url);
      if (missing.length === 0) return;
      await (
        await queue()
      ).update((draft) => {
        const known = new Set(draft.waiting.map(({ url }) => url));
        for (const url of missing) if (!known.has(url)) draft.waiting.push({ url, tries: 0, next: now() });
      });
      wake();
    },

    resume: work,

    async stop() {
      ending.abort();
      clearTimeout(timer);
      await Promise.allSettled(underWay.values());
    },
  };
}

interface Failure {
  readonly failed: string;
  /** True if a later attempt may succeed. */
  readonly mayPass: boolean;
}

function failureOf(error: unknown): Failure {
  if (error instanceof FetchError)
    return { failed: error.detail, mayPass: ['fetch_failed', 'fetch_timeout'].includes(error.code) };
  if (error instanceof PorchlightError)
    return { failed: error.message, mayPass: error.status >= 500 || error.status === 429 };
  throw error;
}

/**
 * Returns the name of the document about a URL: a hash, because the URL itself may be too long for a file name, or
 * contain forbidden characters.
 */
const nameOf = (url: string) => createHash('sha256').update(url).digest('hex');

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
