import { hostIsLoopback } from '../../platform/address.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { Log } from '../../platform/log.ts';
import { siteOfHost } from '../../platform/site-name.ts';
import { createHostRests } from '../../platform/host-rests.ts';
import { createHostTurns } from '../../platform/host-turns.ts';
import type { PageReading } from '../page-reading.ts';
import { deliver, type DeliveryOutcome } from './deliver.ts';
import type { Outbox, Waiting } from './outbox.ts';
import type { Entry } from './outbox-document.ts';
import { overtaken, settled } from './plan.ts';

export interface PostmanOptions {
  readonly outbox: Outbox;
  readonly fetch: GuardedFetch;
  readonly reading: PageReading;
  /** Returns the public URL of a path on this server. */
  readonly sourceAt: (path: string) => string;
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
  readonly log: Log;
  /** The most pages to notify at once (default: 32). At most one of them is on each host, and four on each site. */
  readonly concurrency?: number;
  /** Development and tests only: also sends from a loopback address, which other servers cannot reach. */
  readonly allowPrivate: boolean;
  readonly changed: (path: string, entry: Entry) => void;
}

/** Delivers the webmentions that are waiting in the outbox. */
export interface Postman {
  start(): void;
  wake(): void;
  /** Returns whether a page is being notified right now, in this round of its entry. */
  isUnderWay(path: string, entry: Pick<Entry, 'target' | 'round'>): boolean;
  stop(): Promise<void>;
}

/**
 * Each delivery costs a socket, and up to 2 MB for the page. A page and its endpoint may take up to 40 s to respond.
 */
const mostAtOnce = 32;
const longestSleepMs = 60_000;

export function createPostman(options: PostmanOptions): Postman {
  const {
    outbox,
    fetch,
    reading,
    sourceAt,
    now,
    log,
    concurrency = mostAtOnce,
    allowPrivate,
    changed,
  } = options;
  /** Deliveries under way, by key. A round of an entry may have to wait while the previous round is under way. */
  const underWay = new Map<string, { waiting: Waiting; done: Promise<void> }>();
  const turns = createHostTurns({ begin, limits: { all: concurrency } });
  const rests = createHostRests('deliveryHost', now);
  const stopping = new AbortController();
  let running = false;
  let timer: NodeJS.Timeout | undefined;

  /**
   * Returns whether other servers can reach this one. If they cannot, they have no way to check a webmention's source.
   */
  const isReachable = () => allowPrivate || !hostIsLoopback(new URL(sourceAt('/')).hostname);

  function wake(): void {
    clearTimeout(timer);
    if (!running || stopping.signal.aborted) return;
    const moment = now();
    const isOpen = isReachable();
    if (isOpen) {
      for (const { key, host } of outbox.takeDue(moment)) turns.add(key, host, siteOfHost(host));
      turns.start();
    }
    const next = outbox.nextDue();
    // The clock can jump and the computer can sleep, so the timer never runs for long.
    const sleep = isOpen ? Math.min(Math.max(0, next - moment), longestSleepMs) : longestSleepMs;
    if (next < Infinity) timer = setTimeout(wake, sleep).unref();
  }

  function begin(key: string): Promise<void> | undefined {
    const waiting = outbox.waiting(key);
    const moment = now();
    // An entry that changed while it was queued is due at another time.
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
        wake();
      });
    underWay.set(key, { waiting, done });
    return done;
  }

  async function carry({ path, target, host, round }: Waiting): Promise<void> {
    const outcome = await send(path, target);
    // A delivery that fails because this server is closing is not the receiver's failure.
    if (stopping.signal.aborted && outcome.kind === 'failed') return;
    if (outcome.kind === 'failed' && outcome.notBefore !== undefined) rests.rest(host, outcome.notBefore);
    const entry = await outbox.change(path, (sent) => {
      const at = sent.entries.findIndex((one) => one.target === target);
      const before = sent.entries[at];
      if (before === undefined) return undefined;
      const isCurrent = before.round === round && before.state === 'waiting';
      const after = isCurrent ? settled(before, outcome, now()) : overtaken(before, outcome);
      sent.entries[at] = after;
      return isCurrent ? structuredClone(after) : undefined;
    });
    if (entry !== undefined) changed(path, entry);
  }

  async function send(path: string, target: string): Promise<DeliveryOutcome> {
    try {
      return await deliver({ fetch, reading, source: sourceAt(path), target, signal: stopping.signal, now });
    } catch (error) {
      log.error({ err: error, target }, 'A webmention could not be sent.');
      const words = 'This page could not be read.';
      return { kind: 'failed', words, mayPass: false, refused: false, mayKnow: false };
    }
  }

  return {
    start() {
      running = true;
      wake();
    },
    wake,
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
