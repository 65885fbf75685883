import type { ErrorCode } from '../contract/error-code.ts';
import { PorchlightError } from '../contract/error.ts';
import { asFetchError, FetchError } from '../platform/fetch-error.ts';
import type { FetchedResponse, FetchOptions, GuardedFetch } from '../platform/guarded-fetch.ts';
import { createHostRests } from '../platform/host-rests.ts';
import { createHostTurns, type HostLimits } from '../storage/work/turns.ts';
import type { Log } from '../platform/log.ts';
import { attemptsLeft } from '../platform/retry-schedule.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';
import {
  waitingPictures,
  type PictureKind,
  type WaitingPicture,
  type WaitingPicturesOptions,
} from './waiting-pictures.ts';

export interface FetchOnceOptions
  extends WaitingPicturesOptions, Required<Pick<FetchOptions, 'maxBytes' | 'timeoutMs'>> {
  readonly fetch: GuardedFetch;
  readonly log: Pick<Log, 'warn'>;
  readonly places: Pick<HostLimits, 'all' | 'ofSite'>;
  /** The media types to request; `image/*` if absent. */
  readonly accept?: string;
  /** Returns whether the picture at a URL is already stored. */
  readonly has: (url: string) => Promise<boolean>;
  /**
   * Stores a fetched picture.
   * @throws PorchlightError with a status below 500 if the response isn't a picture (429 if another attempt may
   * succeed). Any other error means a failure on this computer. Such an attempt doesn't count.
   */
  readonly keep: (picture: WaitingPicture, answer: FetchedResponse) => Promise<void>;
  /**
   * Called when Porchlight gives up on a picture and removes it from the list. If this function is absent, such a
   * picture stays in the list, so that it isn't requested again. Porchlight then also pauses requests to servers that
   * fail.
   */
  readonly givenUp?: (url: string, why: string) => Promise<void>;
}

/** Fetches pictures for a caller that stores them. A stored picture isn't fetched again. */
export interface FetchOnce {
  /** Queues the pictures that aren't stored. Resolves once the queue is on disk, so that it survives a restart. */
  want(urls: readonly string[], kind?: PictureKind): Promise<void>;
  /** Resumes fetching the pictures in the queue. */
  resume(): Promise<void>;
  /**
   * Aborts the fetches that are in progress, and starts no more. Call it before closing what decodes or reads the
   * answers, so that this closing doesn't count as a failed attempt.
   */
  interrupt(): void;
  /** Stops, and waits for the fetches that are in progress. Their pictures are fetched again after the next start. */
  stop(): Promise<void>;
}

interface Failure {
  readonly why: string;
  /** Whether a later attempt may succeed. */
  readonly mayPass: boolean;
}

const passing: readonly ErrorCode[] = ['fetch_failed', 'fetch_timeout'];
/** The maximum duration of a timer, in ms: one day. setTimeout overflows after about 25 days. */
const longestTimer = 86_400_000;

export function createFetchOnce(options: FetchOnceOptions): FetchOnce {
  const {
    fetch,
    log,
    now,
    schedule,
    places,
    has,
    keep,
    givenUp,
    maxBytes,
    timeoutMs,
    accept = 'image/*',
  } = options;
  const list = waitingPictures(options);
  const turns = createHostTurns({ begin, limits: places });
  const rests = createHostRests('pictureHost', now);
  /** The pictures that are queued or being fetched, keyed by URL. */
  const taken = new Map<string, WaitingPicture>();
  const underWay = new Set<Promise<void>>();
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  /** Reads the whole list, which may be long. Queues the pictures that are due, and sets a timer for the others. */
  async function work(): Promise<void> {
    const waiting = await list.waiting();
    clearTimeout(timer);
    if (ending.signal.aborted) return;
    const soonest = begun(waiting);
    if (soonest < Infinity) timer = setTimeout(wake, Math.min(longestTimer, soonest - now())).unref();
  }

  /**
   * Queues the given pictures that are due, and starts as many fetches as the limits allow. Returns the time, in ms, at
   * which the first of the other pictures is due; Infinity if there are no others.
   */
  function begun(pictures: readonly WaitingPicture[]): number {
    let soonest = Infinity;
    for (const picture of pictures) {
      const host = hostOf(new URL(picture.url));
      const dueAt = Math.max(picture.next, rests.until(host));
      if (dueAt > now()) {
        soonest = Math.min(soonest, dueAt);
      } else if (!taken.has(picture.url)) {
        taken.set(picture.url, picture);
        turns.add(picture.url, host, siteOfHost(host));
      }
    }
    turns.start();
    return soonest;
  }

  function wake(): void {
    work().catch((error: unknown) => log.warn({ err: error }, 'the pictures that wait could not be read'));
  }

  function begin(url: string): Promise<void> | undefined {
    const picture = taken.get(url);
    const host = hostOf(new URL(url));
    if (picture === undefined || ending.signal.aborted || rests.until(host) > 0) {
      taken.delete(url);
      return undefined;
    }
    const run: Promise<void> = attempt(picture, host)
      .catch((error: unknown) => {
        // Pause requests to the host after a failure on this computer, such as a full disk. Without a pause, this
        // failure would cause an endless loop of attempts.
        rests.rest(host);
        log.warn({ err: error, url }, 'a picture could not be kept');
        return false;
      })
      .then((isSettled) => {
        taken.delete(url);
        underWay.delete(run);
        if (!isSettled) wake();
      });
    underWay.add(run);
    return run;
  }

  /** Tries to fetch and store a picture. Resolves with true if no further attempt is needed. */
  async function attempt(picture: WaitingPicture, host: string): Promise<boolean> {
    const { url, tries } = picture;
    const failure = (await has(url)) ? undefined : await fetched(picture, host);
    if (failure !== undefined) {
      // If Porchlight itself aborted the fetch, the failure isn't the other server's fault.
      if (ending.signal.aborted) return false;
      const isLast = !failure.mayPass || attemptsLeft(schedule, tries + 1) === 0;
      if (givenUp === undefined || !isLast) {
        await list.failed(url);
        return false;
      }
      await givenUp(url, failure.why);
    }
    list.settle(url);
    return true;
  }

  async function fetched(picture: WaitingPicture, host: string): Promise<Failure | undefined> {
    const asked = { accept, maxBytes, timeoutMs, signal: ending.signal };
    const answer = await fetch(picture.url, asked).catch(asFetchError);
    const isError = answer instanceof FetchError;
    const isBusy = !isError && (answer.status === 429 || answer.status >= 500);
    if ((isError || isBusy) && givenUp === undefined) rests.rest(host);
    if (isError) return { why: answer.detail, mayPass: passing.includes(answer.code) };
    if (answer.status !== 200)
      return { why: `The other server answered with status ${answer.status}.`, mayPass: isBusy };
    try {
      await keep(picture, answer);
      return undefined;
    } catch (error) {
      if (!(error instanceof PorchlightError) || error.status >= 500) throw error;
      return { why: error.message, mayPass: error.status === 429 };
    }
  }

  return {
    async want(urls, kind) {
      const missing: string[] = [];
      for (const url of new Set(urls)) if (URL.canParse(url) && !(await has(url))) missing.push(url);
      if (missing.length === 0 || ending.signal.aborted) return;
      const added = await list.add(missing, kind);
      if (begun(added) < Infinity) wake();
    },

    resume: work,

    interrupt: () => ending.abort(),

    async stop() {
      ending.abort();
      clearTimeout(timer);
      await Promise.allSettled(underWay);
      await list.close();
    },
  };
}
