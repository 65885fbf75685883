import { coalesced } from '../storage/coalesce.ts';
import type { Recovery } from '../storage/recovery.ts';
import type { Clock } from '../platform/clock.ts';
import { plausibleDue } from '../platform/retry-schedule.ts';
import { newSecretText } from '../platform/secret-text.ts';
import { pairOf, waits, type QueueEntry } from './queue-entry.ts';
import { openQueueFile } from './queue-file.ts';
import { nearby, type QueueParty } from './queue-shares.ts';
import { createWaitingEntries, type WaitingLimits } from './waiting-entries.ts';

/** A mention that is waiting to be checked. */
interface Queued {
  readonly kind: 'queued';
  readonly entry: QueueEntry;
}

/** The result of receiving a mention. */
export type Receipt =
  | Queued
  /** The queue is full: for everyone, for the site of the source, or for the visitor who sent the mention. */
  | { readonly kind: 'full'; readonly of: 'all' | QueueParty['kind'] };

export interface Postponement {
  /** The reason, for people. */
  readonly words: string;
  /**
   * Time until the next attempt, in ms. Absent after an attempt before the entry was due: its schedule doesn't change.
   */
  readonly pauseMs?: number;
  /** How many of the entry's limited attempts the failed attempt used up. */
  readonly costs: number;
}

/** The received mentions that are not verified yet and, for a while, the settled ones with their results. */
export interface Queue {
  /**
   * Adds a mention; resolves once it is on disk. If the same source and target are already waiting, they remain one
   * entry (WR-5). If they were checked less than 30 s ago, they are checked once more when the 30 s are over, however
   * often they are sent meanwhile. Waiting entries are never dropped to make room: a full queue accepts nothing more.
   * `visitor`: the network that the mention came from; undefined if it did not come through the tunnel.
   */
  receive(source: string, target: string, visitor?: string): Promise<Receipt>;
  byToken(token: string): QueueEntry | undefined;
  /** Returns the network that sent an entry, if known. The network is forgotten when the server stops. */
  visitorOf(token: string): string | undefined;
  /** Returns the waiting entries, in queue order. */
  waiting(): Iterable<QueueEntry>;
  /** Returns the entries that became due since the last call, in the order in which they became due. */
  takeDue(): QueueEntry[];
  /** Returns when the next entry becomes due, in ms since the epoch; Infinity if none will. */
  nextDue(): number;
  readonly size: number;
  /** When the last mention came in, in ms since the epoch. */
  readonly lastReceived: number;
  /** Settles an entry, unless its mention was sent again in the meantime and needs another check. Saved soon after. */
  settle(entry: QueueEntry, state: 'success' | 'removed' | 'failed', words?: string): void;
  /** Schedules another attempt for an entry, which moves behind the others. Saved soon after. */
  postpone(entry: QueueEntry, options: Postponement): void;
  /** Resolves once all changes are on disk. */
  flush(): Promise<void>;
  /** Closes the file. A later change opens it again. */
  close(): Promise<void>;
}

export interface QueueOptions {
  /** `queue.jsonl`. */
  readonly file: string;
  readonly clock: Clock;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  readonly limits?: QueueLimits;
}

export interface QueueLimits extends WaitingLimits {
  /** How many settled entries to keep. */
  readonly settled: number;
}

const defaultLimits: QueueLimits = { waiting: 10_000, settled: 2_000 };
/** How long senders can look up the state of their mention: three days, in ms. */
const memoryMs = 3 * 86_400_000;
/** How long after a check the same mention isn't checked again, in ms. */
const restMs = 30_000;
const saveSoonMs = 200;

/**
 * Opens the queue in `file`. Mentions that arrive while the disk is busy share the next write. Entries that were
 * settled but not yet saved before a power failure are simply verified again.
 * @throws PorchlightError as openQueueFile does.
 */
export async function openQueue(options: QueueOptions): Promise<Queue> {
  const { file, clock, onRecovered } = options;
  const limits: QueueLimits = options.limits ?? defaultLimits;
  const disk = await openQueueFile({ file, onRecovered, now: clock });
  const stored = disk.entries;

  const waiting = createWaitingEntries(limits);
  for (const entry of stored.filter(waits)) waiting.put(entry);
  const settled = new Map(stored.filter((entry) => !waits(entry)).map((entry) => [entry.token, entry]));
  const tokens = new Map(stored.map((entry) => [pairOf(entry), entry.token]));
  /** Changes that are not on disk yet, oldest first. */
  const unsaved = new Map<string, QueueEntry>();
  let lastReceived = 0;
  let lookedAt = clock();
  let soon: NodeJS.Timeout | undefined;

  const moment = (at: number) => new Date(at).toISOString();
  const byToken = (token: string) => waiting.get(token) ?? settled.get(token);

  const save = coalesced(async () => {
    clearTimeout(soon);
    soon = undefined;
    const changed = [...unsaved.values()];
    unsaved.clear();
    try {
      await disk.save(changed, () => [...waiting.values(), ...settled.values()]);
    } catch (error) {
      const newer = [...unsaved.values()];
      unsaved.clear();
      for (const entry of [...changed, ...newer]) note(entry);
      throw error;
    }
  });

  /** Schedules an entry to be saved, after earlier changes. */
  function note(entry: QueueEntry): void {
    unsaved.delete(entry.token);
    unsaved.set(entry.token, entry);
  }

  /** Saves in the background. If a write fails, the next one includes its changes. */
  function saveSoon(): void {
    soon ??= setTimeout(() => void save().catch(() => undefined), saveSoonMs).unref();
  }

  function prune(): void {
    for (const entry of settled.values()) {
      const isOld = Date.parse(entry.tried ?? entry.received) < clock() - memoryMs;
      if (!isOld && settled.size <= limits.settled) return;
      settled.delete(entry.token);
      tokens.delete(pairOf(entry));
    }
  }

  /** Returns when a mention that was just sent is due, in ms since the epoch: now, or `restMs` after a recent check. */
  function dueOf(before: QueueEntry | undefined, now: number): number {
    const rest = before?.tried === undefined ? 0 : Date.parse(before.tried) + restMs - now;
    // If the clock was set back, the mention still waits for at most `restMs`.
    return now + Math.min(Math.max(rest, 0), restMs);
  }

  /** Returns the entry for a mention that was just sent. `before`: the entry that the queue has for it. */
  function next(source: string, target: string, before: QueueEntry | undefined): QueueEntry {
    const now = clock();
    const due = dueOf(before, now);
    if (before && waits(before)) {
      const isSooner = due > now && Date.parse(before.next) <= due;
      // If the old object is being checked right now, replacing it shows that the mention needs another check.
      return isSooner ? before : { ...before, next: moment(due) };
    }
    const entry = {
      token: before?.token ?? newSecretText(),
      source,
      target,
      received: moment(now),
      state: 'waiting',
      tries: 0,
      early: 0,
    } as const;
    return { ...entry, next: moment(due), ...(due > now && { tried: before?.tried }) };
  }

  /** Makes entries due now if a wrong clock scheduled them too far ahead. */
  function bringForward(now: number): void {
    for (const entry of [...waiting.values()]) {
      const due = Date.parse(entry.next);
      const plausible = plausibleDue('source', due, now);
      if (plausible !== due) putBack({ ...entry, next: moment(plausible) });
    }
  }

  function takeDue(): QueueEntry[] {
    const now = clock();
    if (now < lookedAt) bringForward(now);
    lookedAt = now;
    return waiting.takeDue(now);
  }

  /** Updates a waiting entry, which keeps its place. */
  function putBack(entry: QueueEntry): void {
    waiting.put(entry);
    note(entry);
  }

  async function receive(source: string, target: string, visitor = nearby.name): Promise<Receipt> {
    const pair = pairOf({ source, target });
    const before = byToken(tokens.get(pair) ?? '');
    const crowd = before && waits(before) ? undefined : waiting.crowd(source, visitor);
    if (crowd !== undefined) {
      lastReceived = clock();
      return { kind: 'full', of: crowd };
    }
    const entry = next(source, target, before);
    settled.delete(entry.token);
    waiting.put(entry, visitor);
    tokens.set(pair, entry.token);
    note(entry);
    try {
      await save();
    } catch (error) {
      if (waiting.get(entry.token) === entry) takeBack(entry, before);
      throw error;
    }
    lastReceived = clock();
    return { kind: 'queued', entry };
  }

  /** Undoes the receipt of an entry that could not be saved. */
  function takeBack(entry: QueueEntry, before: QueueEntry | undefined): void {
    unsaved.delete(entry.token);
    if (before && waits(before)) {
      putBack(before);
      return;
    }
    waiting.drop(entry.token);
    if (before) {
      settled.set(before.token, before);
      note(before);
    } else tokens.delete(pairOf(entry));
  }

  function settle(entry: QueueEntry, state: 'success' | 'removed' | 'failed', words?: string): void {
    if (waiting.get(entry.token) !== entry) return;
    waiting.drop(entry.token);
    const tried = moment(clock());
    const over = { ...entry, state, tried, ...(words !== undefined && { words: cut(words) }) };
    settled.set(over.token, over);
    note(over);
    prune();
    saveSoon();
  }

  function postpone(entry: QueueEntry, { words, pauseMs, costs }: Postponement): void {
    if (waiting.get(entry.token) !== entry) return;
    const now = clock();
    const later = {
      ...entry,
      tries: entry.tries + costs,
      early: pauseMs === undefined ? entry.early + 1 : 0,
      words: cut(words),
      tried: moment(now),
      next: pauseMs === undefined ? entry.next : moment(now + pauseMs),
    };
    waiting.putLast(later);
    note(later);
    saveSoon();
  }

  prune();
  bringForward(clock());
  return {
    receive,
    byToken,
    visitorOf: (token) => waiting.visitorOf(token),
    waiting: () => waiting.values(),
    takeDue,
    nextDue: () => waiting.nextDue(),
    get size() {
      return waiting.size;
    },
    get lastReceived() {
      return lastReceived;
    },
    settle,
    postpone,
    flush: save,
    close: () => disk.close(),
  };
}

/** Shortens a message so that it fits into an entry. */
const cut = (words: string) => words.slice(0, 500);
