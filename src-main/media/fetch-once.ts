import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { type ErrorCode, PorchlightError } from '../contract/error.ts';
import { choice, closed } from '../contract/shapes.ts';
import { asFetchError, FetchError } from '../platform/fetched-response.ts';
import type { FetchedResponse, FetchOptions, GuardedFetch } from '../platform/guarded-fetch.ts';
import { scheduleOf, type RetryName } from '../platform/retry-schedule.ts';
import { hostOf, siteOfHost } from '../platform/site-name.ts';
import { coalesced } from '../storage/pacing.ts';
import type { HostLimits } from '../storage/work/turns.ts';
import type { Also, Attempt, Outcome, WorkEntry } from '../storage/work/work-kind.ts';
import type { WorkQueue } from '../storage/work/work.ts';

const PictureKind = choice('avatar', 'photo');
export type PictureKind = Static<typeof PictureKind>;

/** A picture that isn't stored yet. `kind`: if the size of the stored copy depends on it. */
const RequestedPicture = closed({ url: Type.String(), kind: Type.Optional(PictureKind) });
export type RequestedPicture = Static<typeof RequestedPicture>;

export interface FetchOnceOptions extends Required<Pick<FetchOptions, 'maxBytes' | 'timeoutMs'>> {
  readonly work: Pick<WorkQueue, 'defineWork'>;
  /** The name of this kind of work. */
  readonly kind: string;
  readonly schedule: RetryName;
  readonly fetch: GuardedFetch;
  readonly places: Pick<HostLimits, 'all' | 'ofSite'>;
  /** The media types to request; `image/*` if absent. */
  readonly accept?: string;
  /** The maximum number of listed pictures. A picture that doesn't fit is dropped until it is requested again. */
  readonly mostListed?: number;
  /**
   * Whether to retry after every failure, and to pause requests to servers that fail. Otherwise, only failures that may
   * pass are retried.
   */
  readonly retriesAll?: boolean;
  /** Returns whether the picture at a URL is already stored. */
  readonly has: (url: string) => boolean | Promise<boolean>;
  /**
   * Stores a fetched picture. Returns what else to do in the transaction that removes it from the list, if anything.
   * @throws PorchlightError with a status below 500 if the response isn't a picture (429 if another attempt may
   * succeed). Any other error means a failure on this computer. Such an attempt doesn't count.
   */
  readonly keep: (picture: RequestedPicture, answer: FetchedResponse) => Promise<Also | undefined>;
  /**
   * Called when Porchlight gives up on a picture, which leaves the list. Returns what to do in the transaction that
   * removes it, if anything. If this function is absent, the picture stays listed, so that it isn't requested again.
   */
  readonly gaveUp?: (url: string) => Also | undefined;
}

/** Fetches pictures for a caller that stores them. A stored picture isn't fetched again. */
export interface FetchOnce {
  /** Queues the pictures that aren't stored. Resolves once the queue is on disk, so that it survives a restart. */
  request(urls: readonly string[], kind?: PictureKind): Promise<void>;
}

const passing: readonly ErrorCode[] = ['fetch_failed', 'fetch_timeout'];
/** The state of pictures that Porchlight gave up on, which stay listed. */
const gaveUpState = 'given-up';

/**
 * Returns the file name for data about the picture at a URL. The name is a hash of the URL, because a URL may be too
 * long or contain forbidden characters.
 */
export const pictureName = (url: string) => createHash('sha256').update(url).digest('hex');

type Listed = Pick<WorkEntry, 'key' | 'party' | 'tries' | 'state'>;

/**
 * Returns the keys of the pictures to drop, so that at most `most` are listed. Shares the list fairly among sites: those
 * with the most pictures lose the most, starting with the pictures that failed most often.
 */
function keysToDrop(listed: readonly Listed[], most: number): ReadonlySet<string> {
  const failures = ({ tries, state }: Listed) => (state === gaveUpState ? Number.MAX_SAFE_INTEGER : tries);
  const ofSites = new Map<string, number>();
  const ranked = listed
    .toSorted((a, b) => failures(a) - failures(b))
    .map(({ key, party }) => {
      const rank = ofSites.get(party) ?? 0;
      ofSites.set(party, rank + 1);
      return { key, rank };
    });
  const dropped = ranked.toSorted((a, b) => a.rank - b.rank).slice(most);
  return new Set(dropped.map(({ key }) => key));
}

/** Declares a kind of work that fetches pictures. */
export function createFetchOnce(options: FetchOnceOptions): FetchOnce {
  const { fetch, has, keep, maxBytes, timeoutMs, accept = 'image/*', mostListed = Infinity } = options;
  const { gaveUp, retriesAll = false, places } = options;
  const list = options.work.defineWork({
    kind: options.kind,
    payload: RequestedPicture,
    retries: scheduleOf(options.schedule),
    hostRests: scheduleOf('pictureHost'),
    total: places.all,
    perParty: places.ofSite,
    run,
    gaveUp({ payload }) {
      if (gaveUp === undefined) return { state: gaveUpState };
      const also = gaveUp(payload.url);
      return also && { also };
    },
  });

  /** Tries to fetch and store a picture. */
  async function run({ payload, signal }: Attempt<RequestedPicture>): Promise<Outcome<RequestedPicture>> {
    const { url } = payload;
    if (await has(url)) return { kind: 'done' };
    const answer = await fetch(url, { accept, maxBytes, timeoutMs, signal }).catch(asFetchError);
    if (answer instanceof FetchError)
      return failed(answer.detail, { mayPass: passing.includes(answer.code), restsHost: true });
    const isBusy = answer.status === 429 || answer.status >= 500;
    if (answer.status !== 200)
      return failed(`The other server answered with status ${answer.status}.`, {
        mayPass: isBusy,
        restsHost: isBusy,
      });
    try {
      const also = await keep(payload, answer);
      return { kind: 'done', ...(also && { also }) };
    } catch (error) {
      if (!(error instanceof PorchlightError) || error.status >= 500) throw error;
      return failed(error.message, { mayPass: error.status === 429, restsHost: false });
    }
  }

  const failed = (words: string, { mayPass, restsHost }: { mayPass: boolean; restsHost: boolean }) =>
    ({ kind: 'failed', words, mayPass: mayPass || retriesAll, restsHost: restsHost && retriesAll }) as const;

  /** The pictures to add to the list, by key. */
  const requested = new Map<string, RequestedPicture>();

  /**
   * Adds the wanted pictures to the list. Requests that arrive during a write are added together, because a large import
   * makes thousands of them.
   */
  const admit = coalesced(async () => {
    const missing = [...requested].filter(([key]) => !isListed(key));
    requested.clear();
    const added = missing.map(([key, payload]) => {
      const host = hostOf(new URL(payload.url));
      return { key, host, party: siteOfHost(host), payload };
    });
    if (added.length === 0) return;
    const isFull = list.size + added.length > mostListed;
    const listed: Listed[] = isFull ? [...list.entries()] : [];
    const news = added.map(({ key, party }) => ({ key, party, tries: 0, state: 'waiting' }));
    const dropped = keysToDrop([...listed, ...(isFull ? news : [])], mostListed);
    const lost = listed.flatMap(({ key }) => (dropped.has(key) ? key : []));
    await Promise.all([
      lost.length > 0 && list.cancel(...lost),
      list.add(...added.filter(({ key }) => !dropped.has(key))),
    ]);
  });

  /** Returns whether a picture is listed. One whose entry can't be read is listed again. */
  function isListed(key: string): boolean {
    const state = list.entry(key)?.state;
    return state !== undefined && state !== 'unreadable';
  }

  return {
    async request(urls, kind) {
      let isNew = false;
      for (const url of new Set(urls)) {
        const key = pictureName(url);
        if (!URL.canParse(url) || isListed(key) || (await has(url))) continue;
        isNew = true;
        requested.set(key, { url, ...(kind && { kind }) });
      }
      if (isNew) await admit();
    },
  };
}
