import { hostIsLoopback } from '../../platform/address.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { Log } from '../../platform/log.ts';
import { siteOfHost } from '../../platform/site-name.ts';
import { createHostTurns } from '../host-turns.ts';
import type { PageReading } from '../page-reading.ts';
import { deliver, type Outcome } from './deliver.ts';
import type { Outbox, Waiting } from './outbox.ts';
import type { Entry } from './outbox-document.ts';
import { overtaken, settled } from './plan.ts';

export interface PostmanOptions {
  readonly outbox: Outbox;
  readonly fetch: GuardedFetch;
  readonly reading: PageReading;
  /** The public address of a path on this server. */
  readonly sourceAt: (path: string) => string;
  /** In ms since the epoch. */
  readonly now: () => number;
  readonly log: Log;
  /** How many pages are told at once (32), each host one at a time, and four of one site. */
  readonly concurrency?: number;
  /** Development and tests only: sends from a loopback address too, where nobody outside could look. */
  readonly allowPrivate: boolean;
  readonly changed: (path: string, entry: Entry) => void;
}

/** Carries out what waits in the outbox. */
export interface Postman {
  start(): void;
  wake(): void;
  /** Whether a page is being told right now, in this round of its entry. */
  isUnderWay(path: string, entry: Pick<Entry, 'target' | 'round'>): boolean;
  stop(): Promise<void>;
}

/** Each costs a socket, and up to 2 MB for the page. A page and its endpoint may hang for 40 s. */
const mostAtOnce = 32;
const longestSleepMs = 60_000;
const restMs = 60_000;
const longestRestMs = 60 * 60_000;

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
  /** By key: a round of an entry may wait for its turn while the one before is under way. */
  const underWay = new Map<string, { waiting: Waiting; done: Promise<void> }>();
  const turns = createHostTurns({ begin, limits: { all: concurrency } });
  /** Hosts that want to be left alone, and until when (ms). */
  const resting = new Map<string, number>();
  const stopping = new AbortController();
  let running = false;
  let timer: NodeJS.Timeout | undefined;

  /** Until the server has a public address, nobody could read what it is told about. */
  const isReachable = () => allowPrivate || !hostIsLoopback(new URL(sourceAt('/')).hostname);

  function wake(): void {
    clearTimeout(timer);
    if (!running || stopping.signal.aborted) return;
    const moment = now();
    for (const [host, until] of resting) if (until <= moment) resting.delete(host);
    const isOpen = isReachable();
    if (isOpen) {
      for (const { key, host } of outbox.takeDue(moment)) turns.add(key, host, siteOfHost(host));
      turns.start();
    }
    const next = outbox.nextDue();
    // A clock can jump, and a computer sleep: no sleep of ours is long.
    const sleep = isOpen ? Math.min(Math.max(0, next - moment), longestSleepMs) : longestSleepMs;
    if (next < Infinity) timer = setTimeout(wake, sleep).unref();
  }

  function begin(key: string): Promise<void> | undefined {
    const waiting = outbox.waiting(key);
    const moment = now();
    // What changed while it stood in line falls due at another time.
    if (stopping.signal.aborted || waiting === undefined || waiting.due > moment) return undefined;
    const restsUntil = resting.get(waiting.host) ?? 0;
    if (restsUntil > moment) {
      outbox.putBack(waiting, restsUntil);
      return undefined;
    }
    const done = carry(waiting)
      .catch((error: unknown) => {
        log.error({ err: error, target: waiting.target }, 'What became of a webmention could not be kept.');
        const until = now() + restMs;
        resting.set(waiting.host, until);
        outbox.putBack(waiting, until);
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
    // What broke because we end is no failure of theirs.
    if (stopping.signal.aborted && outcome.kind === 'failed') return;
    restAfter(host, outcome);
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

  async function send(path: string, target: string): Promise<Outcome> {
    try {
      return await deliver({ fetch, reading, source: sourceAt(path), target, signal: stopping.signal, now });
    } catch (error) {
      log.error({ err: error, target }, 'A webmention could not be sent.');
      const words = 'This page could not be read.';
      return { kind: 'failed', words, mayPass: false, refused: false, mayKnow: false };
    }
  }

  /** A host that is asked too much is left alone for all its pages, for a while. */
  function restAfter(host: string, outcome: Outcome): void {
    if (outcome.kind !== 'failed' || outcome.notBefore === undefined) return;
    resting.set(host, Math.min(outcome.notBefore, now() + longestRestMs));
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
