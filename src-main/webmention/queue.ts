import { coalesced } from '../storage/coalesce.ts';
import type { Recovery } from '../storage/recovery.ts';
import type { Clock } from '../platform/clock.ts';
import { newSecretText } from '../platform/secret-text.ts';
import { pairOf, waits, type QueueEntry } from './queue-entry.ts';
import { openQueueFile } from './queue-file.ts';
import { nearby, type QueueParty } from './queue-shares.ts';
import { createWaitingEntries, type WaitingLimits } from './waiting-entries.ts';

/** The mention waits to be checked. */
interface Queued {
  readonly kind: 'queued';
  readonly entry: QueueEntry;
}

/** What came of a mention that was sent. */
export type Receipt =
  | Queued
  /** As many wait as may: of everybody, of the site of the source, or of the visitor who sent it. */
  | { readonly kind: 'full'; readonly of: 'all' | QueueParty['kind'] };

export interface Postponement {
  /** For people: why. */
  readonly words: string;
  /** How long until its next turn. Absent for a try before it was due: its turn stays when it was. */
  readonly pauseMs?: number;
  /** How many of the few tries that it has this one took. */
  readonly costs: number;
}

/** The mentions that were received and not yet verified, and for a while what became of them. */
export interface Queue {
  /**
   * Resolves once the mention is on disk. The same pair, as long as it waits, is one entry (WR-5). A pair that was checked
   * less than 30 s ago is checked once more when they are over, however often it is sent meanwhile. What waits is never
   * dropped to make room: if there is none, nothing more is received. `visitor`: the network that it came from; undefined
   * if it did not come through the tunnel.
   */
  receive(source: string, target: string, visitor?: string): Promise<Receipt>;
  byToken(token: string): QueueEntry | undefined;
  /** The network that sent an entry, where that is known: it is forgotten when the server stops. */
  visitorOf(token: string): string | undefined;
  /** Those that wait, in the order of their turn. */
  waiting(): Iterable<QueueEntry>;
  /** Takes those that fell due since it was last asked, in the order in which they did. */
  takeDue(): QueueEntry[];
  /** When the next one falls due, in ms; Infinity where none waits for that. */
  nextDue(): number;
  readonly size: number;
  /** When a mention last came in, in ms. */
  readonly lastReceived: number;
  /** Ends the wait of an entry, unless it was sent again since: then it has another turn. Saved soon. */
  settle(entry: QueueEntry, state: 'success' | 'removed' | 'failed', words?: string): void;
  /** Gives an entry another turn, behind the others. Saved soon. */
  postpone(entry: QueueEntry, options: Postponement): void;
  /** Resolves once all is on disk. */
  flush(): Promise<void>;
}

export interface QueueOptions {
  /** `queue.jsonl`. */
  readonly file: string;
  readonly clock: Clock;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  readonly limits?: QueueLimits;
}

export interface QueueLimits extends WaitingLimits {
  /** How many settled ones are remembered. */
  readonly settled: number;
}

const defaultLimits: QueueLimits = { waiting: 10_000, settled: 2_000 };
/** A sender may ask what became of its mention for three days. */
const memoryMs = 3 * 86_400_000;
/** How long after a mention was checked the same one is not checked again, in ms. */
const restMs = 30_000;
/** No pause between two tries is longer, in ms. A later turn was given by a clock that was wrong. */
const longestPauseMs = 25 * 3_600_000;
const saveSoonMs = 200;

/**
 * Opens the queue in `file`. What comes in while the disk is busy shares the next write; what was settled but not yet
 * saved when the power went is simply verified again.
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
  /** Changes that are not on disk yet, in their order. */
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

  /** Has an entry saved, after what changed before. */
  function note(entry: QueueEntry): void {
    unsaved.delete(entry.token);
    unsaved.set(entry.token, entry);
  }

  /** Puts an entry where it belongs: one that waits already keeps its place. */
  function put(entry: QueueEntry): void {
    if (waits(entry)) {
      waiting.put(entry);
    } else {
      settled.set(entry.token, entry);
      waiting.forgetVisitor(entry.token);
    }
    note(entry);
  }

  function drop(entry: QueueEntry): void {
    waiting.drop(entry.token);
    settled.delete(entry.token);
  }

  /** Nobody waits for these: a write that fails is made up for by the next one. */
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

  /** Returns when a pair that was sent just now is due, in ms: after its rest, if it was checked a moment ago. */
  function turnOf(before: QueueEntry | undefined, now: number): number {
    const rest = before?.tried === undefined ? 0 : Date.parse(before.tried) + restMs - now;
    // A clock that was set back makes nobody wait for longer than the rest.
    return now + Math.min(Math.max(rest, 0), restMs);
  }

  /** What is to be done about a pair, given what is known of it. */
  function next(source: string, target: string, visitor: string): QueueEntry | Exclude<Receipt, Queued> {
    const now = clock();
    const before = byToken(tokens.get(pairOf({ source, target })) ?? '');
    const turn = turnOf(before, now);
    if (before && waits(before)) {
      const isSooner = turn > now && Date.parse(before.next) <= turn;
      // A new object: whoever is looking at the old one now sees that there is another turn to take.
      return isSooner ? before : { ...before, next: moment(turn) };
    }
    const token = before?.token ?? newSecretText();
    const crowd = waiting.crowd({ source, token }, visitor);
    if (crowd !== undefined) return { kind: 'full', of: crowd };
    waiting.setVisitor(token, visitor);
    const entry = {
      token,
      source,
      target,
      received: moment(now),
      state: 'waiting',
      tries: 0,
      early: 0,
    } as const;
    return { ...entry, next: moment(turn), ...(turn > now && { tried: before?.tried }) };
  }

  /** Gives those a turn now whose turn a wrong clock put too far away. */
  function bringForward(now: number): void {
    for (const entry of [...waiting.values()])
      if (Date.parse(entry.next) > now + longestPauseMs) put({ ...entry, next: moment(now) });
  }

  function takeDue(): QueueEntry[] {
    const now = clock();
    if (now < lookedAt) bringForward(now);
    lookedAt = now;
    return waiting.takeDue(now);
  }

  async function receive(source: string, target: string, visitor = nearby.name): Promise<Receipt> {
    const entry = next(source, target, visitor);
    if ('kind' in entry) {
      lastReceived = clock();
      return entry;
    }
    const before = byToken(entry.token);
    settled.delete(entry.token);
    put(entry);
    tokens.set(pairOf(entry), entry.token);
    try {
      await save();
    } catch (error) {
      if (waiting.get(entry.token) === entry) takeBack(entry, before);
      throw error;
    }
    lastReceived = clock();
    return { kind: 'queued', entry };
  }

  /** What could not be saved was not received. */
  function takeBack(entry: QueueEntry, before: QueueEntry | undefined): void {
    drop(entry);
    unsaved.delete(entry.token);
    if (before) put(before);
    else {
      tokens.delete(pairOf(entry));
      waiting.forgetVisitor(entry.token);
    }
  }

  function settle(entry: QueueEntry, state: 'success' | 'removed' | 'failed', words?: string): void {
    if (waiting.get(entry.token) !== entry) return;
    drop(entry);
    const tried = moment(clock());
    put({ ...entry, state, tried, ...(words !== undefined && { words: cut(words) }) });
    prune();
    saveSoon();
  }

  function postpone(entry: QueueEntry, { words, pauseMs, costs }: Postponement): void {
    if (waiting.get(entry.token) !== entry) return;
    drop(entry);
    const now = clock();
    put({
      ...entry,
      tries: entry.tries + costs,
      early: pauseMs === undefined ? entry.early + 1 : 0,
      words: cut(words),
      tried: moment(now),
      next: pauseMs === undefined ? entry.next : moment(now + pauseMs),
    });
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
  };
}

/** To what the document may hold. */
const cut = (words: string) => words.slice(0, 500);
