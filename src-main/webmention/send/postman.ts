import { builtInUrl } from '../../post/address.ts';
import { hostIsLoopback } from '../../platform/address.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { Log } from '../../platform/log.ts';
import { siteOfHost } from '../../platform/site-name.ts';
import { createHostRests } from '../../platform/host-rests.ts';
import { createHostTurns } from '../../storage/work/turns.ts';
import type { PageReading } from '../page-reading.ts';
import { withCopy, type CrossPosting } from './copies.ts';
import { deliverWebmention, type DeliveryOutcome } from './deliver.ts';
import type { Outbox, Waiting } from './outbox.ts';
import type { Entry } from './outbox-document.ts';
import { overtaken, settledDelivery, toldFrom } from './plan.ts';

/** A webmention that is about to be sent. `linked`: whether the source should link to the target now. */
export interface OpenWebmention {
  /** The path of the post on this server. */
  readonly path: string;
  readonly source: string;
  readonly target: string;
  readonly linked: boolean;
}

export interface PostmanOptions {
  readonly outbox: Outbox;
  readonly fetch: GuardedFetch;
  readonly reading: PageReading;
  /** Returns the public origin; called each time, because it can change. */
  readonly base: () => string;
  /** Returns a post's own URL, given the post's path on this server. */
  readonly urlOf: (path: string) => Promise<string>;
  /** Returns the current path of the post that is or was at a path. */
  readonly currentPath: (path: string) => Promise<string>;
  /**
   * Returns whether the webmentions of the post at a path may be sent now. If not, they wait until `wake` is called.
   */
  readonly mayLeave: (path: string) => boolean;
  /**
   * Returns why a webmention can't be sent yet, as a message for the owner; undefined if it can be sent. If absent,
   * every webmention can be sent.
   */
  readonly notYet?: (webmention: OpenWebmention, signal: AbortSignal) => Promise<string | undefined>;
  /** Absent if the copies of cross-posted posts are not stored. */
  readonly crossPosting?: CrossPosting;
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
  readonly log: Log;
  /**
   * The maximum number of pages to notify at once (default: 32). Two lower limits also apply: one page per host, and
   * four pages for all hosts of the same site together.
   */
  readonly concurrency?: number;
  /**
   * Whether to send webmentions even if the post's URL is a loopback address. For development and tests only, because
   * other servers can't reach such a URL.
   */
  readonly allowPrivate: boolean;
  readonly changed: (path: string, entry: Entry) => Promise<void>;
}

/** Delivers the webmentions that are waiting in the outbox. */
export interface Postman {
  start(): void;
  /** Sends the webmentions that are due, including those that waited for their post to go live. */
  wake(): void;
  /** Sends the webmentions that have become due, except those that wait for their post to go live. */
  look(): void;
  /** Returns whether a page is being notified right now, in the current round of its entry. */
  isUnderWay(path: string, entry: Pick<Entry, 'target' | 'round'>): boolean;
  stop(): Promise<void>;
}

/**
 * The default of `concurrency`. Each delivery needs a socket, up to 2 MB for the page, and up to 40 s for the responses
 * from the page and its endpoint.
 */
const mostAtOnce = 32;
const longestSleepMs = 60_000;

export function createPostman(options: PostmanOptions): Postman {
  const {
    outbox,
    fetch,
    reading,
    base,
    urlOf,
    currentPath,
    mayLeave,
    notYet,
    crossPosting,
    now,
    log,
    concurrency = mostAtOnce,
    allowPrivate,
    changed,
  } = options;
  /** The deliveries in progress, keyed by the key of the waiting page. */
  const underWay = new Map<string, { waiting: Waiting; done: Promise<void> }>();
  const turns = createHostTurns({ begin, limits: { all: concurrency } });
  const rests = createHostRests('deliveryHost', now);
  /**
   * Due deliveries that are waiting until their post is live, or until other servers can reach the post's URL. Keyed by
   * the key of the delivery.
   */
  const held = new Map<string, Waiting>();
  const stopping = new AbortController();
  let running = false;
  let wasPublic = false;
  let timer: NodeJS.Timeout | undefined;

  /** Returns whether other servers can reach a URL. Receivers must be able to read the source. */
  const isReachable = (source: string) => allowPrivate || !hostIsLoopback(new URL(source).hostname);

  const queue = ({ key, host }: Waiting) => turns.add(key, host, siteOfHost(host));

  function wake(): void {
    const waiting = [...held.values()];
    held.clear();
    waiting.forEach(queue);
    look();
  }

  function look(): void {
    clearTimeout(timer);
    if (!running || stopping.signal.aborted) return;
    const isPublic = isReachable(base());
    const isNew = isPublic && !wasPublic;
    wasPublic = isPublic;
    if (isNew && held.size > 0) {
      wake();
      return;
    }
    const moment = now();
    outbox.takeDue(moment).forEach(queue);
    turns.start();
    const next = outbox.nextDue();
    // Don't set a long timer, because the clock can jump and the computer can sleep.
    const sleep = Math.min(Math.max(0, next - moment), longestSleepMs);
    const isWaiting = next < Infinity || (!isPublic && held.size > 0);
    if (isWaiting) timer = setTimeout(look, sleep).unref();
  }

  function begin(key: string): Promise<void> | undefined {
    const waiting = outbox.waiting(key);
    const moment = now();
    // The entry may have changed while it was waiting for its turn.
    if (stopping.signal.aborted || waiting === undefined || waiting.due > moment) return undefined;
    const restsUntil = rests.until(waiting.host);
    if (restsUntil > 0) {
      outbox.putBack(waiting, restsUntil);
      return undefined;
    }
    const done = carry(waiting)
      .catch((error: unknown) => {
        log.error({ err: error, target: waiting.target }, 'What became of a webmention could not be kept.');
        outbox.putBack(waiting, rests.rest(waiting.host));
      })
      .finally(() => {
        underWay.delete(key);
        look();
      });
    underWay.set(key, { waiting, done });
    return done;
  }

  /**
   * Returns the source of a webmention: the URL from which the page was notified before, or else the post's own URL.
   * `home`: the source, if it is on the owner's own site; otherwise absent. `former`: see PostCopy.
   */
  async function sourceOf(
    path: string,
    target: string,
  ): Promise<{ source: string; home?: string; linked: boolean; former: string | undefined }> {
    const entry = (await outbox.read(path)).entries.find((one) => one.target === target);
    const builtIn = builtInUrl(base(), path);
    const source = entry?.told ? (entry.from ?? builtIn) : await urlOf(path);
    const linked = entry?.linked ?? true;
    const former = entry?.copy;
    return { source, linked, former, ...(source !== builtIn && { home: source }) };
  }

  async function carry(waiting: Waiting): Promise<void> {
    const { key, path, target, host, round } = waiting;
    const { source, home, linked, former } = await sourceOf(path, target);
    const current = await currentPath(path);
    // There must be no await between these checks and the change to `held`. Otherwise, a call to `wake` could be
    // missed.
    if (!mayLeave(current) || (!isReachable(source) && !isReachable(base()))) {
      held.set(key, waiting);
      return;
    }
    if (!isReachable(source)) {
      outbox.putBack(waiting, now() + longestSleepMs);
      return;
    }
    const result = await send({ path, source, target, linked });
    // The delivery probably failed because this server is closing, so the receiver isn't at fault.
    if (stopping.signal.aborted && result.kind === 'failed') return;
    const { outcome, copy } = await withCopy(crossPosting, { path: current, target, linked, former }, result);
    if (outcome.kind === 'failed' && outcome.notBefore !== undefined) rests.rest(host, outcome.notBefore);
    const entry = await outbox.change(path, (sent) => {
      const at = sent.entries.findIndex((one) => one.target === target);
      const before = sent.entries[at];
      if (before === undefined) return undefined;
      const isCurrent = before.round === round && before.state === 'waiting';
      const next = isCurrent ? settledDelivery(before, outcome, now()) : overtaken(before, outcome);
      const after = { ...toldFrom(next, before, home), ...(copy !== undefined && { copy }) };
      sent.entries[at] = after;
      return isCurrent ? structuredClone(after) : undefined;
    });
    if (entry !== undefined) await changed(path, entry);
  }

  async function send(webmention: OpenWebmention): Promise<DeliveryOutcome> {
    const { source, target } = webmention;
    try {
      const words = await notYet?.(webmention, stopping.signal);
      if (words !== undefined)
        return { kind: 'failed', words, mayPass: true, refused: false, mayKnow: false };
      return await deliverWebmention({ fetch, reading, source, target, signal: stopping.signal, now });
    } catch (error) {
      log.error({ err: error, target }, 'A webmention could not be sent.');
      const words = 'This page could not be read.';
      return { kind: 'failed', words, mayPass: false, refused: false, mayKnow: false };
    }
  }

  return {
    start() {
      running = true;
      wasPublic = isReachable(base());
      wake();
    },
    wake,
    look,
    isUnderWay: (path, { target, round }) =>
      [...underWay.values()].some(
        ({ waiting }) => waiting.path === path && waiting.target === target && waiting.round === round,
      ),
    async stop() {
      running = false;
      clearTimeout(timer);
      stopping.abort();
      await Promise.all(Array.from(underWay.values(), ({ done }) => done));
    },
  };
}
