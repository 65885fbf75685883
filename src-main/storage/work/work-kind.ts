import type { Static, TSchema } from 'typebox';
import type { Transaction } from '../records/group-commit.ts';
import type { HostLimits } from './turns.ts';

/** What the queue knows about a piece of work without reading its payload. */
export interface WorkEntry {
  readonly seq: number;
  readonly key: string;
  readonly party: string;
  readonly host: string;
  /** The time of the next attempt, in ms since the epoch. */
  readonly due: number;
  /** The number of failed attempts that count. */
  readonly tries: number;
  /** The number of failed attempts before the work was due, since the last attempt that was due. */
  readonly early: number;
  /** `waiting`, `planned`, or a word of the kind; see workTable. */
  readonly state: string;
}

/** A piece of work with its payload. */
export interface Work<P> extends WorkEntry {
  readonly payload: P;
  /** Why the last attempt failed. */
  readonly words: string | undefined;
}

/** A piece of work that is being tried. */
export interface Attempt<P> extends Work<P> {
  /** Aborted when the queue stops. The queue waits for the end of the attempt, which should then come soon. */
  readonly signal: AbortSignal;
  /** Returns whether more work for the same host waits for its turn. */
  hasMore(): boolean;
}

/**
 * Changes that are made in the transaction that settles the work. `isCurrent`: whether it was neither added again nor
 * cancelled in the meantime. `isOver`: whether the work
 * isn't tried again, because it is done or because no attempt is left.
 */
export type Also = (transaction: Transaction, isCurrent: boolean, isOver: boolean) => void;

/** What an attempt led to. `also`: changes to make in the same transaction. `note`: a word for whoever waits for the run. */
export type Outcome<P> =
  /** The work is done. It is removed, if the attempt hasn't cancelled it in a transaction of its own. */
  | { readonly kind: 'done'; readonly note?: string; readonly also?: Also }
  /** The work stays, and isn't tried until it is added again. */
  | {
      readonly kind: 'stays';
      readonly state: string;
      readonly payload?: P;
      readonly words?: string;
      readonly also?: Also;
    }
  /** The work is tried again at a time that the kind chose. `tries`: the new number of failed attempts (default: the same). */
  | {
      readonly kind: 'later';
      readonly at: number;
      readonly tries?: number;
      /** The new state (default: `waiting`). */
      readonly state?: string;
      readonly payload?: P;
      readonly words?: string;
      readonly also?: Also;
    }
  /** The work can't be done yet. It waits until `wake`. Nothing is written. */
  | { readonly kind: 'held' }
  /**
   * The attempt failed. If `mayPass`, the work is tried again after the pause of the kind's schedule, until no attempt
   * is left. `notBefore`: the time that the other server asked for, in ms. `restsHost`: whether to pause all work for
   * the host (see `hostRests`).
   */
  | {
      readonly kind: 'failed';
      readonly words: string;
      readonly mayPass: boolean;
      readonly notBefore?: number | undefined;
      readonly restsHost?: boolean;
      /** The new state, if the work is tried again. By default, it is the same, except that `planned` becomes `waiting`. */
      readonly state?: string;
      readonly also?: Also;
    };

/** A kind of work, declared once by the feature that does it. */
export type WorkKind<S extends TSchema> = KindRules<S> & (OneByOne<S> | Together<S>);

export interface OneByOne<S extends TSchema> {
  /** Does the work. If it throws, that is a failure of this computer: the work is tried again and no failure counts. */
  run(attempt: Attempt<Static<S>>): Promise<Outcome<Static<S>>>;
}

export interface Together<S extends TSchema> {
  /** For work that is done together: all due work of a host for which a batch has room. */
  readonly batch: {
    /**
     * Called for each new batch. Returns a function that gets each piece of the batch, and returns whether the batch has
     * room for another one. So no work is read that the batch doesn't take.
     */
    room(host: string): (added: Work<Static<S>>) => boolean;
    /** Returns the outcomes by key. Work without an outcome waits for the next turn. If it throws: see OneByOne.run. */
    run(attempts: readonly Attempt<Static<S>>[]): Promise<ReadonlyMap<string, Outcome<Static<S>>>>;
  };
}

export interface KindRules<S extends TSchema> {
  readonly kind: string;
  /** Checks the payload. Work whose payload doesn't fit is set aside as `unreadable`. */
  readonly payload: S;
  /** The words for work that is tried when it is due, beside `waiting` and `planned`. */
  readonly tried?: readonly string[];
  readonly retries: RetrySchedule;
  /** How long all work for a host pauses after a failure with `restsHost`, and after a failure of this computer. */
  readonly hostRests?: RetrySchedule;
  /**
   * Returns what becomes of work after its last attempt: by default, it is removed. Called in no transaction; `also` of
   * the result is run in the one that settles the work.
   */
  gaveUp?(
    attempt: Attempt<Static<S>>,
    words: string,
  ): { readonly state?: string; readonly also?: Also } | undefined;
  /** The maximum number of simultaneous attempts for one party (default: 4). A host has one at a time. */
  readonly perParty?: number;
  /** The maximum number of simultaneous attempts in total (default: 64). */
  readonly total?: number;
  /** How many of `total` are for debtors, and for one of them; see HostTurnsOptions. */
  readonly late?: Pick<HostLimits, 'late' | 'ofDebtor'>;
  /** Returns who has used more than its share, if the work is theirs; see HostTurnsOptions. */
  debtor?(entry: WorkEntry): string | undefined;
  /** Called when an attempt begins. Returns what to call when it ends. */
  began?(entry: WorkEntry): () => void;
  /** Called when work becomes known: when it is on disk, and for all work when the queue opens. */
  added?(entry: WorkEntry): void;
  /** Called when work is no longer in the queue. */
  removed?(entry: WorkEntry): void;
  /** Returns whether attempts may be made now. If not, due work waits until `wake`. */
  mayRun?(entry: WorkEntry): boolean;
}

/** New work. If the kind has work with this key already, the new one replaces it, also while it is being tried. */
export interface NewWork<P> {
  readonly key: string;
  readonly party: string;
  readonly host: string;
  readonly payload: P;
  /** The time of the first attempt, in ms (default: now). */
  readonly due?: number;
  /**
   * `waiting` (the default); `planned` if somebody chose the time, so that it is right even if it is years ahead; or
   * another word for work that is tried (see KindRules.tried).
   */
  readonly state?: string;
  /** The failed attempts so far (default: 0). */
  readonly tries?: number;
  readonly early?: number;
}

export interface RunNowOptions {
  /** Returns whether to try this work now; by default, all work that waits. */
  readonly only?: (entry: WorkEntry) => boolean;
  /** `runNow` resolves after this time, in ms, with the results so far. */
  readonly limitMs?: number;
}

/** The work of one kind. */
export interface DefinedWork<P> {
  /**
   * Adds work. Resolves once it is on disk.
   * @throws PorchlightError as Records.write does. Then nothing is added.
   */
  add(...works: readonly NewWork<P>[]): Promise<void>;
  /** Adds work in a transaction that also makes the changes that lead to it. */
  addIn(transaction: Transaction, ...works: readonly NewWork<P>[]): void;
  /**
   * Adds work, except where there is work with the same key, which stays as it is. Looks in the transaction: an entry
   * may be in memory for a moment longer than its row.
   */
  addMissing(...works: readonly NewWork<P>[]): Promise<void>;
  addMissingIn(transaction: Transaction, ...works: readonly NewWork<P>[]): void;
  /** Changes the payload of work, but not when it is tried. Does nothing if there is no such work. */
  changeIn(transaction: Transaction, key: string, change: (payload: P) => P): void;
  /** Removes work. An attempt that is being made ends by itself, and changes nothing of the queue. */
  cancel(...keys: readonly string[]): Promise<void>;
  cancelIn(transaction: Transaction, ...keys: readonly string[]): void;
  /** Returns work with its payload, in the order in which it was added. Work that can't be read is left out. */
  list(options?: { readonly state?: string; readonly limit?: number }): Work<P>[];
  /** Returns the work with a key. `transaction`: in which to look, with its changes so far. */
  find(key: string, transaction?: Transaction): Work<P> | undefined;
  /** Returns the entry with a key, without its payload. */
  entry(key: string): WorkEntry | undefined;
  /** Returns the entries, in the order in which they were added. Added work is among them once it is on disk. */
  entries(): Iterable<WorkEntry>;
  readonly size: number;
  /** Returns whether the work with a key is being tried right now, as it was added last. */
  isUnderWay(key: string): boolean;
  /** Tries work once, even if it isn't due. Joins a run in progress. Resolves with the outcomes by key. */
  runNow(options?: RunNowOptions): Promise<ReadonlyMap<string, Outcome<P> | undefined>>;
  /**
   * Makes work due now that `mayRun` or its attempt held back, or that failed because this computer was offline or could
   * not store the result.
   */
  wake(): void;
}

/** A schedule for retrying failed work. All times are in ms. */
export interface RetrySchedule {
  /** The pauses after the first failed attempt, after the second, and so on. */
  readonly pauses: readonly number[];
  /** True if the last pause repeats forever. Otherwise, there is one last attempt after the last pause. */
  readonly isEndless?: boolean;
  /**
   * The limits for a pause that the other server requests (Retry-After). If absent, such requests are ignored. `most`:
   * the longest accepted pause. `least`: if set, a requested pause after the first failure may be shorter than the
   * schedule's pause, but not shorter than `least`.
   */
  readonly asked?: { readonly least?: number; readonly most: number };
}

/** Returns the pause after a number of failed attempts, in ms; undefined if there is no further attempt. */
export function pauseIn({ pauses, isEndless = false }: RetrySchedule, failures: number): number | undefined {
  return pauses[isEndless ? Math.min(failures, pauses.length) - 1 : failures - 1];
}

/** Returns how many attempts are left after a number of failed attempts. */
export const attemptsLeftIn = ({ pauses, isEndless = false }: RetrySchedule, failures: number): number =>
  isEndless ? Infinity : Math.max(0, pauses.length + 1 - failures);

/**
 * Returns the time of the next attempt, in ms; undefined if there is none. `failures`: the number of failed attempts so
 * far. `asked`: the time that the other server has set for the next request (Retry-After), in ms, if any.
 */
export function nextAttemptIn(
  schedule: RetrySchedule,
  { failures, now, asked }: { failures: number; now: number; asked?: number | undefined },
): number | undefined {
  const pause = pauseIn(schedule, failures);
  const may = schedule.asked;
  if (pause === undefined) return undefined;
  if (may === undefined || asked === undefined) return now + pause;
  const least = failures === 1 ? (may.least ?? pause) : pause;
  return now + Math.max(least, Math.min(asked - now, may.most));
}

/** The tolerance for clock corrections, in ms: an hour. Most corrections are smaller. */
const slack = 3_600_000;

/**
 * Returns the time of an attempt that was scheduled for `due` (ms). If `due` is further ahead than any pause, the clock
 * was wrong when the attempt was scheduled. In that case, returns `now`.
 */
export function plausibleDueIn({ pauses, asked }: RetrySchedule, due: number, now: number): number {
  return due - now > Math.max(...pauses, asked?.most ?? 0) + slack ? now : due;
}
