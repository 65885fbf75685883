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
  /** Whether the queue had already received this mention. Such a mention is not checked again. */
  readonly isKnown: boolean;
}

/** The result of receiving a mention. */
export type Receipt =
  | Queued
  /** The queue is full: for everyone, for the site of the source, or for the sender of the mention. */
  | { readonly kind: 'full'; readonly of: 'all' | QueueParty['kind'] };

export interface Postponement {
  /** The reason for the delay, as human-readable text. */
  readonly words: string;
  /**
   * The time until the next attempt, in ms. Absent after an attempt that was made before the entry was due. In that
   * case, the schedule stays the same.
   */
  readonly pauseMs?: number;
  /** How much to add to `tries`, the number of the entry's failed attempts; 0 if this failure doesn't count. */
  readonly costs: number;
}

/** The received mentions that are not verified yet. Settled mentions stay for a while, with their results. */
export interface Queue {
  /**
   * Adds a mention; resolves once it is on disk. If the same source and target are sent again, they keep a single
   * waiting entry (WR-5). If they were checked less than 30 s ago, they are checked once more after these 30 s. A full
   * queue accepts only mentions that are already waiting, and never drops waiting entries. `visitor`: the sender's
   * network; undefined if the mention did not come through the tunnel. `arrived`: when the mailbox received the
   * mention, in ms. If this queue already has the mention with the same `arrived`, nothing changes.
   */
  receive(source: string, target: string, visitor?: string, arrived?: number): Promise<Receipt>;
  byToken(token: string): QueueEntry | undefined;
  /** Returns the network that sent an entry; undefined if unknown. The network is kept only in memory. */
  visitorOf(token: string): string | undefined;
  /** Returns the waiting entries, in queue order. */
  waiting(): Iterable<QueueEntry>;
  /** Returns the entries that have become due since the last call, in the order in which they became due. */
  takeDue(): QueueEntry[];
  /** Returns when the next entry becomes due, in ms since the epoch; Infinity if no entry will become due. */
  nextDue(): number;
  readonly size: number;
  /** The time at which the last mention arrived, in ms since the epoch. */
  readonly lastReceived: number;
  /**
   * Settles an entry, unless its mention was sent again in the meantime and needs another check. Saves the change
   * shortly afterwards.
   */
  settle(entry: QueueEntry, state: 'success' | 'removed' | 'failed', words?: string): void;
  /**
   * Schedules another attempt for an entry, and moves the entry behind all others. Saves the change shortly afterwards.
   */
  postpone(entry: QueueEntry, options: Postponement): void;
  /** Resolves once all changes are on disk. */
  flush(): Promise<void>;
  /** Closes the file. The next change opens the file again. */
  close(): Promise<void>;
}

export interface QueueOptions {
  /** The path of `queue.jsonl`. */
  readonly file: string;
  readonly clock: Clock;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  readonly limits?: QueueLimits;
}

export interface QueueLimits extends WaitingLimits {
  /** The maximum number of settled entries to keep. */
  readonly settled: number;
}

const defaultLimits: QueueLimits = { waiting: 10_000, settled: 2_000 };
/** How long senders can look up the status of their mentions, in ms: three days. */
const memoryMs = 3 * 86_400_000;
/** The time after a check during which the mention isn't checked again, in ms. */
const restMs = 30_000;
const saveSoonMs = 200;

/**
 * Opens the queue in `file`. Mentions that arrive during a write share the next write. If a power failure loses the
 * result of a check, the mention is simply checked again.
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

  /** Adds an entry to the end of `unsaved`. */
  function note(entry: QueueEntry): void {
    unsaved.delete(entry.token);
    unsaved.set(entry.token, entry);
  }

  /** Saves in the background. If a write fails, the next write includes its changes. */
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

  /**
   * Returns the time at which to check a mention that was just sent, in ms since the epoch: now, or `restMs` after a
   * recent check.
   */
  function dueOf(before: QueueEntry | undefined, now: number): number {
    const rest = before?.tried === undefined ? 0 : Date.parse(before.tried) + restMs - now;
    // If the clock was set back, limit the wait to `restMs`.
    return now + Math.min(Math.max(rest, 0), restMs);
  }

  /**
   * Returns the entry for a mention that was just sent. `before`: the existing entry with the same source and target,
   * if any.
   */
  function next(
    { source, target, arrived }: { source: string; target: string; arrived: number | undefined },
    before: QueueEntry | undefined,
  ): QueueEntry {
    const now = clock();
    const due = dueOf(before, now);
    if (before && waits(before)) {
      const isSooner = due > now && Date.parse(before.next) <= due;
      // The mention may be sent again while `before` is being checked. If a new object replaces `before`, that check
      // doesn't settle the mention, and the mention is checked again.
      const known = arrived === undefined ? before : { ...before, received: moment(arrived) };
      return isSooner ? known : { ...known, next: moment(due) };
    }
    const entry = {
      token: before?.token ?? newSecretText(),
      source,
      target,
      received: moment(arrived ?? now),
      state: 'waiting',
      tries: 0,
      early: 0,
    } as const;
    return { ...entry, next: moment(due), ...(due > now && { tried: before?.tried }) };
  }

  /** Makes entries due now if they are scheduled too far ahead because the clock was wrong. */
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

  /** Updates a waiting entry, which keeps its position. */
  function putBack(entry: QueueEntry): void {
    waiting.put(entry);
    note(entry);
  }

  const receive: Queue['receive'] = async (source, target, visitor = nearby.name, arrived) => {
    const pair = pairOf({ source, target });
    const before = byToken(tokens.get(pair) ?? '');
    if (before && arrived !== undefined && Date.parse(before.received) === arrived) {
      await save(); // The entry may not be on disk yet.
      return { kind: 'queued', entry: before, isKnown: true };
    }
    const crowd = before && waits(before) ? undefined : waiting.crowd(source, visitor);
    if (crowd !== undefined) {
      lastReceived = clock();
      return { kind: 'full', of: crowd };
    }
    const entry = next({ source, target, arrived }, before);
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
    return { kind: 'queued', entry, isKnown: false };
  };

  /** Undoes the addition of an entry that could not be saved. */
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

/** Shortens a message to 500 characters, so that it fits into the `words` of an entry. */
const cut = (words: string) => words.slice(0, 500);
