import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Static, TSchema } from 'typebox';
import type { Transaction } from '../records/group-commit.ts';
import type { Records } from '../records/records.ts';
import { createDueOrder } from './due-order.ts';
import {
  type Also,
  type Attempt,
  type DefinedWork,
  type NewWork,
  nextAttemptIn,
  type Outcome,
  plausibleDueIn,
  type Together,
  type Work,
  type WorkEntry,
  type WorkKind,
} from './work-kind.ts';
import { createRun } from './run.ts';
import { createHostTurns } from './turns.ts';
import { workRows } from './work-rows.ts';

export interface WorkOptions {
  readonly records: Pick<Records, 'rows' | 'write' | 'openings' | 'whenSound'>;
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
  /** Returns false while this computer seems to be offline. Failed attempts during that time don't count. */
  readonly online: () => boolean;
  readonly log: {
    error(about: object, words: string): void;
    warn(about: object, words: string): void;
  };
  /** Called when work was set aside because its payload can't be read. Must not throw. */
  readonly setAside?: (kind: string) => void;
}

/** Timers stop while the computer sleeps, and the clock can jump, so the queue looks at this interval, in ms. */
export const longestSleepMs = 60_000;
/** The pause after a failure of this computer, and while it is offline, in ms: 5 minutes. */
const pauseHereMs = 300_000;
/**
 * The maximum number of attempts of one piece of work while offline: 30 days, so that dead work doesn't stay forever,
 * unless its kind never gives up.
 */
const mostOffline = 30 * 24 * 12;
/** How many entries are read before other work gets a chance to run. */
export const rowsAtOnce = 500;

/** How many pieces of a batch are read, or their results stored, before other work gets a chance to run. */
const batchStep = 100;

/** How many due entries are lined up before other work gets a chance to run. The timer lines up the others. */
const dueAtOnce = 5000;

/** An entry that is tried in a turn. `isEarly`: see Attempt. */
interface Begun {
  readonly entry: WorkEntry;
  readonly isEarly: boolean;
}

interface KindDeps extends WorkOptions {
  readonly signal: AbortSignal;
  readonly isStarted: () => boolean;
}

/** Creates the queue of one kind of work. */
export function createKindQueue<S extends TSchema>(kind: WorkKind<S>, deps: KindDeps) {
  type P = Static<S>;
  const { records, now, online, log, signal, isStarted } = deps;
  const stored = workRows(kind, records);
  const tried = new Set(['waiting', 'planned', ...(kind.tried ?? [])]);
  const waits = ({ state }: WorkEntry): boolean => tried.has(state);
  const entries = new Map<string, WorkEntry>();
  const order = createDueOrder<WorkEntry>((entry) => entries.get(entry.key) === entry);
  const underWay = new Map<string, { readonly entry: WorkEntry; readonly done: Promise<void> }>();
  /** Due entries that `mayRun` or their attempt holds back, by key. */
  const held = new Map<string, WorkEntry>();
  /** Entries that failed while offline or because of this computer. `wake` makes them due. */
  const paused = new Map<string, WorkEntry>();
  /** The number of failed attempts while offline, by key. Only in memory, because a start may be on another network. */
  const offline = new Map<string, number>();
  /** When the hosts that failed may be contacted again, in ms. */
  const rests = new Map<string, number>();
  /** The hosts that rest because of this computer. */
  const restsHere = new Set<string>();
  const turns = createHostTurns({
    begin,
    limits: {
      all: kind.total ?? 64,
      ofSite: kind.perParty ?? 4,
      ...kind.late,
    },
    debtor: (key) => {
      const entry = entries.get(key);
      return entry && kind.debtor?.(entry);
    },
  });
  let run: ReturnType<typeof createRun<Outcome<P>>> | undefined;
  /** The attempts whose work `settle` has removed. */
  const settled = new WeakSet<Attempt<P>>();
  /** The entries to try although they aren't due. */
  const early = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let checkedAt = now();
  /** How often `wake` was called. */
  let wakes = 0;

  const untilStop = <T>(one: Promise<T>): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const stop = (): void => resolve(undefined);
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop);
      one.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });

  function put(entry: WorkEntry): void {
    // An entry that was added again moves to the end.
    const before = entries.get(entry.key);
    if (before?.seq !== entry.seq) entries.delete(entry.key);
    entries.set(entry.key, entry);
    if (before === undefined) kind.added?.(entry);
    held.delete(entry.key);
    paused.delete(entry.key);
    if (waits(entry)) order.add(entry, entry.due);
  }

  /** Puts an entry that waits for this computer to work again. */
  function pause(entry: WorkEntry): void {
    put(entry);
    paused.set(entry.key, entry);
  }

  function drop(key: string): void {
    const before = entries.get(key);
    entries.delete(key);
    if (before) kind.removed?.(before);
    held.delete(key);
    paused.delete(key);
    offline.delete(key);
    early.delete(key);
  }

  const isPlausible = (entry: WorkEntry): boolean =>
    entry.state === 'planned' || plausibleDueIn(kind.retries, entry.due, now()) === entry.due;

  /** Makes entries due now that were scheduled too far ahead because the clock was wrong, and ends such pauses of hosts. */
  function bringForward(): void {
    for (const entry of [...entries.values()]) if (!isPlausible(entry)) put({ ...entry, due: now() });
    for (const [host, until] of rests)
      if (kind.hostRests && plausibleDueIn(kind.hostRests, until, now()) !== until) rests.delete(host);
  }

  function lineUp({ key, host, party }: WorkEntry): void {
    turns.add(key, host, party);
  }

  function startDue(): void {
    clearTimeout(timer);
    if (signal.aborted) return;
    const moment = now();
    if (moment < checkedAt) bringForward();
    checkedAt = moment;
    if (isStarted())
      for (let count = 0; count < dueAtOnce; count += 1) {
        const entry = order.take(moment);
        if (entry === undefined) break;
        lineUp(entry);
      }
    turns.start();
    const next = order.next();
    if (isStarted() && next < Infinity)
      timer = setTimeout(startDue, Math.min(Math.max(next - now(), 10), longestSleepMs)).unref();
  }

  function begin(first: string, _party: string, more: () => string | undefined): Promise<void> | undefined {
    const begun: Begun[] = [];
    const ends: ((() => void) | undefined)[] = [];
    let finish: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (finish = resolve));

    /** Begins with the first entry that may be tried now, from `key` on. Returns undefined if there is none. */
    function beginNext(from: string | undefined): Begun | undefined {
      for (let key = from; key !== undefined; key = more()) {
        const entry = entries.get(key);
        const isAsked = early.delete(key);
        if (entry === undefined || !mayBegin(entry, isAsked)) {
          run?.tried(key, undefined);
          continue;
        }
        const one = { entry, isEarly: entry.due > now() };
        begun.push(one);
        ends.push(kind.began?.(entry));
        underWay.set(key, { entry, done });
        return one;
      }
      return undefined;
    }

    if (beginNext(first) === undefined) return undefined;
    void attempt(begun, () => beginNext(more())).then((outcomes) => {
      for (const end of ends) end?.();
      for (const { entry } of begun) {
        underWay.delete(entry.key);
        run?.tried(entry.key, outcomes.get(entry.key));
        // The work may have been added again, or read again, while it was being tried.
        const after = entries.get(entry.key);
        if (after !== undefined && waits(after) && !held.has(entry.key)) order.add(after, after.due);
      }
      startDue();
      finish();
    });
    return done;
  }

  /** Returns whether an entry may be tried now. If it may be later, sees to that. */
  function mayBegin(entry: WorkEntry, isAsked: boolean): boolean {
    if (signal.aborted || !waits(entry) || underWay.has(entry.key)) return false;
    const due = Math.max(entry.due, rests.get(entry.host) ?? 0);
    if (due > now() && !isAsked) {
      order.add(entry, due);
      if (restsHere.has(entry.host) && entry.due <= now()) paused.set(entry.key, entry);
      return false;
    }
    if (kind.mayRun?.(entry) !== false) return true;
    held.set(entry.key, entry);
    return false;
  }

  /**
   * Makes the attempts of a turn. Never rejects. Returns the outcomes by key. `begun`: the first entry of the turn. `next`
   * adds another one to it, if there is one.
   */
  async function attempt(
    begun: readonly Begun[],
    next: () => Begun | undefined,
  ): Promise<ReadonlyMap<string, Outcome<P>>> {
    const ended = new Map<string, Outcome<P>>();
    let isLogged = false;
    const failedHere = ({ key, seq, host }: WorkEntry, error: unknown) => {
      if (signal.aborted) return;
      if (!isLogged)
        log.error({ err: error, kind: kind.kind, key }, 'Work failed on this computer. It is tried again.');
      isLogged = true;
      const current = entries.get(key);
      if (current?.seq === seq) pause({ ...current, due: now() + pauseHereMs });
      // Otherwise, all work for the host would be done again and again while its results can't be stored.
      restHost(host);
      restsHere.add(host);
    };
    const woken = wakes;

    async function end(one: Attempt<P>, outcome: Outcome<P> | undefined): Promise<void> {
      // If a failure came from stopping, the work is tried again after the next start.
      if (outcome === undefined || (signal.aborted && outcome.kind === 'failed')) return;
      if (outcome.kind === 'held') {
        const entry = entries.get(one.key);
        // If the queue was woken in the meantime, the reason to wait may be gone.
        if (entry?.seq === one.seq && woken === wakes) held.set(one.key, entry);
      } else {
        try {
          await conclude(one, outcome);
        } catch (error) {
          failedHere(one, error);
          return;
        }
      }
      ended.set(one.key, outcome);
    }

    try {
      // Without a batch, the attempt begins at once.
      const made = 'batch' in kind ? await attemptsFrom(kind.batch, begun, next) : oneAttempt(begun);
      const outcomes = await runAll(made);
      for (let from = 0; from < made.length; from += batchStep)
        await Promise.all(made.slice(from, from + batchStep).map((one) => end(one, outcomes.get(one.key))));
    } catch (error) {
      for (const { entry } of begun) failedHere(entry, error);
    }
    return ended;
  }

  function oneAttempt([first]: readonly Begun[]): Attempt<P>[] {
    const made = first && attemptOf(first.entry, first.isEarly);
    return made ? [made] : [];
  }

  /** Reads the work of a turn, as much as a batch has room for. */
  async function attemptsFrom(
    batch: Together<S>['batch'],
    [first]: readonly Begun[],
    next: () => Begun | undefined,
  ): Promise<Attempt<P>[]> {
    const made: Attempt<P>[] = [];
    const hasRoom = batch.room(first?.entry.host ?? '');
    for (let one = first, read = 1; one !== undefined; one = next(), read += 1) {
      const attempted = attemptOf(one.entry, one.isEarly);
      if (attempted) made.push(attempted);
      if ((attempted && !hasRoom(attempted)) || signal.aborted) break;
      if (read % batchStep === 0) await nextTurn();
    }
    return made;
  }

  function attemptOf(entry: WorkEntry, isEarly: boolean): Attempt<P> | undefined {
    const work = read(entry);
    if (work === undefined) return undefined;
    const made: Attempt<P> = {
      ...work,
      isEarly,
      signal,
      untilStop,
      hasMore: () => turns.hasMore(entry.host),
      isCurrent: () => entries.get(entry.key)?.seq === entry.seq,
      settle(transaction) {
        transaction.after(() => settled.add(made));
        return removeIn(transaction, entry);
      },
    };
    return made;
  }

  async function runAll(made: readonly Attempt<P>[]): Promise<ReadonlyMap<string, Outcome<P>>> {
    if ('batch' in kind) return made.length === 0 ? new Map() : kind.batch.run(made);
    const outcomes = new Map<string, Outcome<P>>();
    for (const one of made) outcomes.set(one.key, await kind.run(one));
    return outcomes;
  }

  /** Reads the payload of an entry. Sets it aside if that can't be read. */
  function read(entry: WorkEntry): Work<P> | undefined {
    const found = stored.read(entry);
    if (found === undefined) {
      if (entries.get(entry.key)?.seq === entry.seq) drop(entry.key);
      return undefined;
    }
    const { payload, words } = found;
    if (payload !== undefined) return { ...entry, payload, words };
    log.error({ kind: kind.kind, key: entry.key }, 'Work can’t be read, so it is set aside.');
    put({ ...entry, state: 'unreadable' });
    deps.setAside?.(kind.kind);
    stored.setAside(entry).catch((error: unknown) => log.warn({ err: error }, 'work could not be set aside'));
    return undefined;
  }

  function removeIn(transaction: Transaction, entry: WorkEntry): boolean {
    const isRemoved = stored.remove(transaction, entry);
    transaction.after(() => {
      if (entries.get(entry.key)?.seq === entry.seq) drop(entry.key);
    });
    return isRemoved;
  }

  /** Pauses all work for a host. `asked`: the time that the host has set for the next request, in ms. */
  function restHost(host: string, asked?: number): void {
    if (kind.hostRests === undefined) return;
    const moment = now();
    for (const [other, until] of rests) if (until <= moment) rests.delete(other);
    rests.set(host, nextAttemptIn(kind.hostRests, { failures: 1, now: moment, asked }) ?? moment);
  }

  async function conclude(made: Attempt<P>, outcome: Exclude<Outcome<P>, { kind: 'held' }>): Promise<void> {
    switch (outcome.kind) {
      case 'done':
        return settled.has(made) ? undefined : write(made, undefined, outcome.also);
      case 'stays':
        return write(made, { ...outcome, words: outcome.words ?? null }, outcome.also);
      case 'later':
        return write(
          made,
          {
            ...outcome,
            due: outcome.at,
            state: outcome.state ?? 'waiting',
            tries: outcome.tries ?? made.tries,
            early: 0,
            words: outcome.words ?? null,
          },
          outcome.also,
        );
      case 'failed':
        return failed(made, outcome);
    }
  }

  async function failed(made: Attempt<P>, outcome: Extract<Outcome<P>, { kind: 'failed' }>): Promise<void> {
    const { words, mayPass, notBefore, restsHost, also } = outcome;
    const next = outcome.state === undefined ? { words } : { words, state: outcome.state };
    const moment = now();
    if (restsHost === true) restHost(made.host, notBefore);
    if (mayPass && made.isEarly)
      return write(made, { ...next, early: made.early + 1 }, also, paused.has(made.key));
    const isOffline = mayPass && !online();
    if (isOffline && (kind.retries.isEndless === true || (offline.get(made.key) ?? 0) < mostOffline)) {
      offline.set(made.key, (offline.get(made.key) ?? 0) + 1);
      return write(made, { ...next, due: moment + pauseHereMs }, also, true);
    }
    const tries = made.tries + 1;
    const due =
      mayPass && !isOffline
        ? nextAttemptIn(kind.retries, { failures: tries, now: moment, asked: notBefore })
        : undefined;
    // The time of the next attempt is no longer the one that somebody chose.
    const state = made.state === 'planned' ? 'waiting' : made.state;
    if (due !== undefined) return write(made, { state, ...next, due, tries, early: 0 }, also);
    const end = kind.gaveUp?.(made, words);
    const both: Also = (transaction, isCurrent) => {
      also?.(transaction, isCurrent, true);
      end?.also?.(transaction, isCurrent, true);
    };
    return write(made, end?.state === undefined ? undefined : { state: end.state, words }, both);
  }

  type Change = Partial<Pick<WorkEntry, 'due' | 'tries' | 'early' | 'state'>> & {
    readonly payload?: P;
    readonly words: string | null;
  };

  /**
   * Changes or removes an entry, and makes what belongs to it in the same transaction. `isPaused`: whether `wake` makes
   * the entry due.
   */
  async function write(
    made: Attempt<P>,
    change: Change | undefined,
    also: Also | undefined,
    isPaused = false,
  ): Promise<void> {
    const entry = entries.get(made.key);
    const isSame = entry?.seq === made.seq;
    const next = change && {
      due: change.due ?? made.due,
      tries: change.tries ?? made.tries,
      early: change.early ?? made.early,
      state: change.state ?? made.state,
    };
    await records.write((transaction) => {
      const changed =
        next === undefined
          ? removeIn(transaction, made)
          : stored.update(transaction, made, {
              ...next,
              payload: change?.payload,
              words: change?.words ?? null,
            });
      also?.(transaction, changed, next === undefined);
    });
    if (next && isSame && entries.get(made.key)?.seq === made.seq) {
      const { seq, key, party, host } = made;
      const after = { seq, key, party, host, ...next };
      if (isPaused) pause(after);
      else put(after);
    }
  }

  function addIn(transaction: Transaction, ...works: readonly NewWork<P>[]): void {
    for (const one of works) {
      const entry = stored.insert(transaction, one, now());
      if (entry === undefined) continue;
      transaction.after(() => {
        offline.delete(entry.key);
        put(entry);
        soon();
      });
    }
  }

  let isSoon = false;
  /** Looks for due work once all changes that share a write are known. */
  function soon(): void {
    if (isSoon) return;
    isSoon = true;
    queueMicrotask(() => {
      isSoon = false;
      startDue();
    });
  }

  function cancelIn(transaction: Transaction, ...keys: readonly string[]): void {
    for (const key of keys) {
      stored.removeKey(transaction, key);
      transaction.after(() => drop(key));
    }
  }

  const work: DefinedWork<P> = {
    add: (...works) => records.write((transaction) => addIn(transaction, ...works)),
    addIn,
    changeIn: (transaction, key, change) => stored.changeIn(transaction, key, change),
    cancel: (...keys) => records.write((transaction) => cancelIn(transaction, ...keys)),
    cancelIn,
    list: stored.list,
    find: stored.find,
    entry: (key) => entries.get(key),
    entries: () => entries.values(),
    get size() {
      return entries.size;
    },
    isUnderWay: (key) => underWay.has(key) && underWay.get(key)?.entry.seq === entries.get(key)?.seq,
    async runNow({ only = () => true, limitMs } = {}) {
      if (run?.isOver !== false) run = createRun();
      const mine = run;
      const requested = [...entries.values()].filter((entry) => waits(entry) && only(entry));
      mine.request(signal.aborted ? [] : requested.map(({ key }) => key));
      for (const entry of requested) {
        if (underWay.get(entry.key)?.entry.seq === entry.seq) continue;
        early.add(entry.key);
        lineUp(entry);
      }
      startDue();
      await mine.over(limitMs);
      return mine.outcomes;
    },
    wake,
  };

  function wake(): void {
    wakes += 1;
    for (const host of restsHere) rests.delete(host);
    restsHere.clear();
    for (const entry of [...held.values()]) if (entries.get(entry.key) === entry) put(entry);
    for (const entry of [...paused.values()])
      if (entries.get(entry.key) === entry) put({ ...entry, due: Math.min(entry.due, now()) });
    held.clear();
    paused.clear();
    startDue();
  }

  return {
    work,
    load(found: readonly WorkEntry[]): void {
      for (const key of [...entries.keys()]) drop(key);
      for (const entry of found) put(isPlausible(entry) ? entry : { ...entry, due: now() });
    },
    startDue,
    wake,
    async stop(): Promise<void> {
      clearTimeout(timer);
      run?.end();
      await Promise.all(Array.from(underWay.values(), ({ done }) => done));
    },
  };
}
