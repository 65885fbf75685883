import type { TSchema, Static } from 'typebox';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transaction } from '../records/group-commit.ts';
import type { Row } from '../records/record-table.ts';
import type { Records } from '../records/records.ts';
import { isValid } from '../schema-check.ts';
import { isDiskFailure } from '../storage-error.ts';
import { createDueOrder } from './due-order.ts';
import { nextAttemptIn, plausibleDueIn, type RetrySchedule } from './retry.ts';
import { createHostTurns, type HostLimits } from './turns.ts';
import { mostWords } from './work-table.ts';

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
  /** `waiting`, `planned`, or a word for work that is not tried until it is added again; see workTable. */
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
  /** Whether this attempt is made before the work is due, because somebody asked for it. */
  readonly isEarly: boolean;
  /** Aborted when the queue stops. */
  readonly signal: AbortSignal;
  /** Returns whether the work is still the same. It isn't if it was added again or cancelled in the meantime. */
  isCurrent(): boolean;
  /** Removes the work in a transaction that also makes the changes that the work is about. */
  settle(transaction: Transaction): void;
}

/** Changes that are made in the transaction that settles the work. `isCurrent`: see Attempt. */
type Also = (transaction: Transaction, isCurrent: boolean) => void;

/** What an attempt led to. `also`: changes to make in the same transaction. */
export type Outcome<P> =
  /** The work is done. It is removed, unless `settle` removed it already. */
  | { readonly kind: 'done'; readonly also?: Also }
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
      readonly state?: 'waiting' | 'planned';
      readonly payload?: P;
      readonly words?: string;
      readonly also?: Also;
    }
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
      readonly also?: Also;
    };

/** A kind of work, declared once by the feature that does it. */
export interface WorkKind<S extends TSchema> {
  readonly kind: string;
  /** Checks the payload. Work whose payload doesn't fit is set aside as `unreadable`. */
  readonly payload: S;
  /** Does the work. If it throws, that is a failure of this computer: the work is tried again and no failure counts. */
  run(attempt: Attempt<Static<S>>): Promise<Outcome<Static<S>>>;
  readonly retries: RetrySchedule;
  /** How long all work for a host pauses after a failure with `restsHost`. */
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
  /** Whether somebody chose the time, so that it is right even if it is years ahead. */
  readonly isPlanned?: boolean;
  /** Whether work with the same key stays as it is, if there is some. */
  readonly keeps?: boolean;
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
  /** Removes work. An attempt that is being made ends by itself, and changes nothing of the queue. */
  cancel(...keys: readonly string[]): Promise<void>;
  cancelIn(transaction: Transaction, ...keys: readonly string[]): void;
  /** Returns work with its payload, in the order in which it was added. Work that can't be read is left out. */
  list(options?: { readonly state?: string; readonly limit?: number }): Work<P>[];
  /** Returns the work with a key. */
  find(key: string): Work<P> | undefined;
  /** Returns the entry with a key, without its payload. */
  entry(key: string): WorkEntry | undefined;
  /** Returns the entries, in the order in which they were added. Added work is among them once it is on disk. */
  entries(): Iterable<WorkEntry>;
  readonly size: number;
  /** Returns whether the work with a key is being tried right now. */
  isUnderWay(key: string): boolean;
  /** Tries work once, even if it isn't due. Joins a run in progress. Resolves with the outcomes by key. */
  runNow(options?: RunNowOptions): Promise<ReadonlyMap<string, Outcome<P> | undefined>>;
  /** Makes work due now that `mayRun` held back, or that failed while this computer was offline. */
  wake(): void;
}

export interface WorkOptions {
  readonly records: Pick<Records, 'rows' | 'write' | 'openings'>;
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

/** The durable queue for all kinds of work. */
export interface WorkQueue {
  /** Declares a kind of work. Its work is tried after `start`. */
  defineWork<S extends TSchema>(kind: WorkKind<S>): DefinedWork<Static<S>>;
  /** Starts to try work that is due. */
  start(): void;
  /** Tries due work, and all that was held back, now: call it after the computer wakes up and when the network returns. */
  wake(): void;
  /** Starts no more attempts, aborts the signals of those that are being made, and waits for them. */
  stop(): Promise<void>;
}

/** Timers stop while the computer sleeps, and the clock can jump, so the queue looks at this interval, in ms. */
const longestSleepMs = 60_000;
/** The pause after a failure of this computer, and while it is offline, in ms: 5 minutes. */
const pauseHereMs = 300_000;
/** The maximum number of attempts of one piece of work while offline: 30 days, so that dead work doesn't stay forever. */
const mostOffline = 30 * 24 * 12;
const rowsAtOnce = 500;
const unreadableWords = 'This entry can’t be read, so nothing was done about it.';

const waits = ({ state }: WorkEntry): boolean => state === 'waiting' || state === 'planned';

/**
 * Opens the queue of work. All entries are known in memory without their payloads, so that they can take turns fairly.
 * The table in the database is the truth.
 */
export async function openWork(options: WorkOptions): Promise<WorkQueue> {
  const { records, log } = options;
  const kinds = new Map<string, Pick<ReturnType<typeof createKind>, 'load' | 'look' | 'wake' | 'stop'>>();
  const stored = new Map<string, WorkEntry[]>();
  const stopping = new AbortController();
  let openings = -1;
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;

  /** Reads all entries without their payloads, in steps, because there may be many. */
  async function read(): Promise<void> {
    openings = records.openings;
    stored.clear();
    for (let last = 0; ;) {
      const rows = records.rows(
        ({ seq, kind, key, party, host, due, tries, early, state }) => ({
          kind: String(kind),
          entry: {
            ...{ seq: Number(seq), key: String(key), party: String(party), host: String(host) },
            ...{ due: Number(due), tries: Number(tries), early: Number(early), state: String(state) },
          },
        }),
        `SELECT seq, kind, key, party, host, due, tries, early, state FROM work WHERE seq > ? ORDER BY seq LIMIT ${rowsAtOnce}`,
        last,
      );
      for (const { kind, entry } of rows) {
        const known = stored.get(kind);
        if (known) known.push(entry);
        else stored.set(kind, [entry]);
      }
      last = rows.at(-1)?.entry.seq ?? last;
      if (rows.length < rowsAtOnce) return;
      await nextTurn();
    }
  }

  function readOrNothing(): Promise<void> {
    // A disk that can't be read must not prevent a start. Its entries are read as soon as it can be.
    return read().catch((error: unknown) => {
      openings = -1;
      if (!isDiskFailure(error)) throw error;
      log.warn({ err: error }, 'the work that waits can’t be read');
    });
  }

  /** Reads everything again after another database has taken the place of the one that was read. */
  async function readAgain(): Promise<void> {
    await readOrNothing();
    if (openings === -1) return;
    for (const [name, kind] of kinds) kind.load(stored.get(name) ?? []);
    stored.clear();
  }

  let reading: Promise<void> | undefined;

  function look(): void {
    clearTimeout(timer);
    if (!isStarted || stopping.signal.aborted) return;
    if (openings !== records.openings)
      reading ??= readAgain()
        .catch((error: unknown) => log.warn({ err: error }, 'the work that waits can’t be read'))
        .finally(() => {
          reading = undefined;
        });
    for (const kind of kinds.values()) kind.look();
    timer = setTimeout(look, longestSleepMs).unref();
  }

  await readOrNothing();
  return {
    defineWork(kind) {
      if (kinds.has(kind.kind)) throw new TypeError(`The work "${kind.kind}" is declared twice.`);
      const one = createKind(kind, { ...options, signal: stopping.signal, isStarted: () => isStarted });
      kinds.set(kind.kind, one);
      one.load(stored.get(kind.kind) ?? []);
      stored.delete(kind.kind);
      return one.work;
    },
    start() {
      isStarted = true;
      look();
    },
    wake() {
      for (const kind of kinds.values()) kind.wake();
      look();
    },
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await reading;
      await Promise.all(Array.from(kinds.values(), (kind) => kind.stop()));
    },
  };
}

interface KindDeps extends WorkOptions {
  readonly signal: AbortSignal;
  readonly isStarted: () => boolean;
}

function createKind<S extends TSchema>(kind: WorkKind<S>, deps: KindDeps) {
  type P = Static<S>;
  const { records, now, online, log, signal, isStarted } = deps;
  const entries = new Map<string, WorkEntry>();
  const order = createDueOrder<WorkEntry>((entry) => entries.get(entry.key) === entry);
  const underWay = new Map<string, { readonly entry: WorkEntry; readonly done: Promise<void> }>();
  /** Due entries that `mayRun` holds back, and entries that failed while offline, by key. */
  const held = new Map<string, WorkEntry>();
  /** The number of failed attempts while offline, by key. Only in memory, because a start may be on another network. */
  const offline = new Map<string, number>();
  /** When the hosts that failed may be contacted again, in ms. */
  const rests = new Map<string, number>();
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
  /** The entries to try although they aren't due. */
  const early = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = now();

  function put(entry: WorkEntry): void {
    // An entry that was added again moves to the end.
    if (entries.get(entry.key)?.seq !== entry.seq) entries.delete(entry.key);
    entries.set(entry.key, entry);
    held.delete(entry.key);
    if (waits(entry)) order.add(entry, entry.due);
  }

  function drop(key: string): void {
    entries.delete(key);
    held.delete(key);
    offline.delete(key);
    early.delete(key);
  }

  const isPlausible = (entry: WorkEntry): boolean =>
    entry.state !== 'waiting' || plausibleDueIn(kind.retries, entry.due, now()) === entry.due;

  /** Makes entries due now that were scheduled too far ahead because the clock was wrong. */
  function bringForward(): void {
    for (const entry of [...entries.values()]) if (!isPlausible(entry)) put({ ...entry, due: now() });
  }

  function lineUp({ key, host, party }: WorkEntry): void {
    turns.add(key, host, party);
  }

  function look(): void {
    clearTimeout(timer);
    if (signal.aborted) return;
    const moment = now();
    if (moment < lookedAt) bringForward();
    lookedAt = moment;
    if (isStarted())
      for (let entry = order.take(moment); entry !== undefined; entry = order.take(moment)) lineUp(entry);
    turns.start();
    const next = order.next();
    if (isStarted() && next < Infinity)
      timer = setTimeout(look, Math.min(Math.max(next - now(), 10), longestSleepMs)).unref();
  }

  function begin(key: string): Promise<void> | undefined {
    const entry = entries.get(key);
    const isAsked = early.delete(key);
    if (entry === undefined || !mayBegin(entry, isAsked)) {
      run?.tried(key, undefined);
      return undefined;
    }
    const ended = kind.began?.(entry);
    const done = attempt(entry, entry.due > now()).then((outcome) => {
      ended?.();
      underWay.delete(key);
      run?.tried(key, outcome);
      // The work may have been added again, or read again, while it was being tried.
      const after = entries.get(key);
      if (after !== undefined && waits(after) && !held.has(key)) order.add(after, after.due);
      look();
    });
    underWay.set(key, { entry, done });
    return done;
  }

  /** Returns whether an entry may be tried now. If it may be later, sees to that. */
  function mayBegin(entry: WorkEntry, isAsked: boolean): boolean {
    if (signal.aborted || !waits(entry) || underWay.has(entry.key)) return false;
    const due = Math.max(entry.due, rests.get(entry.host) ?? 0);
    if (due > now() && !isAsked) {
      order.add(entry, due);
      return false;
    }
    if (kind.mayRun?.(entry) !== false) return true;
    held.set(entry.key, entry);
    return false;
  }

  /** Makes an attempt. Never rejects. Returns the outcome; undefined if there is none. */
  async function attempt(entry: WorkEntry, isEarly: boolean): Promise<Outcome<P> | undefined> {
    try {
      const work = read(entry);
      if (work === undefined) return undefined;
      const made: Attempt<P> = {
        ...work,
        ...{ isEarly, signal },
        isCurrent: () => entries.get(entry.key)?.seq === entry.seq,
        settle: (transaction) => {
          removeIn(transaction, entry);
        },
      };
      const outcome = await kind.run(made);
      // If a failure came from stopping, the work is tried again after the next start.
      if (signal.aborted && outcome.kind === 'failed') return undefined;
      await conclude(made, outcome);
      return outcome;
    } catch (error) {
      if (signal.aborted) return undefined;
      log.error(
        { err: error, kind: kind.kind, key: entry.key },
        'Work failed on this computer. It is tried again.',
      );
      const current = entries.get(entry.key);
      if (current?.seq === entry.seq) put({ ...current, due: now() + pauseHereMs });
      return undefined;
    }
  }

  /** Reads the payload of an entry. Sets it aside if that can't be read. */
  function read(entry: WorkEntry): Work<P> | undefined {
    const [found] = records.rows(
      ({ payload, words }) => ({
        payload: String(payload),
        words: words === null ? undefined : String(words),
      }),
      'SELECT payload, words FROM work WHERE seq = ?',
      entry.seq,
    );
    if (found === undefined) {
      if (entries.get(entry.key)?.seq === entry.seq) drop(entry.key);
      return undefined;
    }
    const payload = decoded(found.payload);
    if (payload !== undefined) return { ...entry, payload, words: found.words };
    log.error({ kind: kind.kind, key: entry.key }, 'Work can’t be read, so it is set aside.');
    put({ ...entry, state: 'unreadable' });
    deps.setAside?.(kind.kind);
    records
      .write(({ run }) =>
        run("UPDATE work SET state = 'unreadable', words = ? WHERE seq = ?", unreadableWords, entry.seq),
      )
      .catch((error: unknown) => log.warn({ err: error }, 'work could not be set aside'));
    return undefined;
  }

  function decoded(text: string): P | undefined {
    try {
      const payload: unknown = JSON.parse(text);
      return isValid(kind.payload, payload) ? payload : undefined;
    } catch {
      return undefined;
    }
  }

  function removeIn({ run, after }: Transaction, { seq, key }: WorkEntry): boolean {
    const isRemoved = run('DELETE FROM work WHERE seq = ?', seq) > 0;
    after(() => {
      if (entries.get(key)?.seq === seq) drop(key);
    });
    return isRemoved;
  }

  async function conclude(made: Attempt<P>, outcome: Outcome<P>): Promise<void> {
    switch (outcome.kind) {
      case 'done':
        return write(made, undefined, outcome.also);
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
    const moment = now();
    if (restsHost === true && kind.hostRests) {
      const end = nextAttemptIn(kind.hostRests, { failures: 1, now: moment, asked: notBefore }) ?? moment;
      for (const [host, until] of rests) if (until <= moment) rests.delete(host);
      rests.set(made.host, end);
    }
    const isOffline = mayPass && !online();
    if (isOffline && (offline.get(made.key) ?? 0) < mostOffline) {
      offline.set(made.key, (offline.get(made.key) ?? 0) + 1);
      return write(made, { due: moment + pauseHereMs, words }, also);
    }
    if (mayPass && made.isEarly) return write(made, { early: made.early + 1, words }, also);
    const tries = made.tries + 1;
    const due = mayPass
      ? nextAttemptIn(kind.retries, { failures: tries, now: moment, asked: notBefore })
      : undefined;
    if (due !== undefined) return write(made, { due, tries, early: 0, words }, also);
    const end = kind.gaveUp?.(made, words);
    const both: Also = (transaction, isCurrent) => {
      also?.(transaction, isCurrent);
      end?.also?.(transaction, isCurrent);
    };
    return write(made, end?.state === undefined ? undefined : { state: end.state, words }, both);
  }

  type Change = Partial<Pick<WorkEntry, 'due' | 'tries' | 'early' | 'state'>> & {
    readonly payload?: P;
    readonly words: string | null;
  };

  /** Changes or removes an entry, and makes what belongs to it in the same transaction. */
  async function write(made: Attempt<P>, change: Change | undefined, also: Also | undefined): Promise<void> {
    const entry = entries.get(made.key);
    const isSame = entry?.seq === made.seq;
    const next = change && {
      ...{ due: change.due ?? made.due, tries: change.tries ?? made.tries },
      ...{ early: change.early ?? made.early, state: change.state ?? made.state },
    };
    await records.write((transaction) => {
      const { run } = transaction;
      const changed =
        next === undefined
          ? removeIn(transaction, made)
          : run(
              'UPDATE work SET due = ?, tries = ?, early = ?, state = ?, payload = ?, words = ? WHERE seq = ?',
              ...[next.due, next.tries, next.early, next.state],
              ...[
                JSON.stringify(change?.payload ?? made.payload),
                change?.words?.slice(0, mostWords) ?? null,
              ],
              made.seq,
            ) > 0;
      also?.(transaction, changed);
    });
    if (next && isSame && entries.get(made.key)?.seq === made.seq) {
      const { seq, key, party, host } = made;
      const after = { ...{ seq, key, party, host }, ...next };
      put(after);
      if (offline.has(key)) held.set(key, after);
    }
  }

  function addIn({ rows, run, after }: Transaction, ...works: readonly NewWork<P>[]): void {
    for (const { key, party, host, payload, due = now(), isPlanned = false, keeps = false } of works) {
      if (!isValid(kind.payload, payload)) throw new TypeError(`Work "${kind.kind}" has another payload.`);
      const state = isPlanned ? 'planned' : 'waiting';
      const isAdded = run(
        `INSERT OR ${keeps ? 'IGNORE' : 'REPLACE'} INTO work (kind, key, party, host, due, tries, early, state, payload) VALUES (?, ?, ?, ?, ?, 0, 0, ?, ?)`,
        ...[kind.kind, key, party, host, Math.round(due), state, JSON.stringify(payload)],
      );
      if (isAdded === 0) continue;
      const [row] = rows('SELECT seq FROM work WHERE kind = ? AND key = ?', kind.kind, key);
      const entry = { seq: Number(row?.['seq']), key, party, host, due, tries: 0, early: 0, state };
      after(() => {
        offline.delete(key);
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
      look();
    });
  }

  function cancelIn({ run, after }: Transaction, ...keys: readonly string[]): void {
    for (const key of keys) {
      run('DELETE FROM work WHERE kind = ? AND key = ?', kind.kind, key);
      after(() => drop(key));
    }
  }

  function decodedRow(row: Row): Work<P>[] {
    const payload = decoded(String(row['payload']));
    if (payload === undefined) return [];
    const { seq, key, party, host, due, tries, early: earlier, state, words } = row;
    return [
      {
        ...{ seq: Number(seq), key: String(key), party: String(party), host: String(host) },
        ...{ due: Number(due), tries: Number(tries), early: Number(earlier), state: String(state) },
        ...{ payload, words: words === null ? undefined : String(words) },
      },
    ];
  }

  const work: DefinedWork<P> = {
    add: (...works) => records.write((transaction) => addIn(transaction, ...works)),
    addIn,
    cancel: (...keys) => records.write((transaction) => cancelIn(transaction, ...keys)),
    cancelIn,
    list: ({ state, limit = rowsAtOnce } = {}) =>
      records
        .rows(
          decodedRow,
          `SELECT * FROM work WHERE kind = ? AND (? IS NULL OR state = ?) ORDER BY seq LIMIT ?`,
          ...[kind.kind, state ?? null, state ?? null, limit],
        )
        .flat(),
    find: (key) =>
      records.rows(decodedRow, 'SELECT * FROM work WHERE kind = ? AND key = ?', kind.kind, key).flat()[0],
    entry: (key) => entries.get(key),
    entries: () => entries.values(),
    get size() {
      return entries.size;
    },
    isUnderWay: (key) => underWay.has(key),
    async runNow({ only = () => true, limitMs } = {}) {
      if (run?.isOver !== false) run = createRun();
      const mine = run;
      const wanted = [...entries.values()].filter((entry) => waits(entry) && only(entry));
      mine.want(signal.aborted ? [] : wanted.map(({ key }) => key));
      for (const entry of wanted) {
        if (underWay.get(entry.key)?.entry.seq === entry.seq) continue;
        early.add(entry.key);
        lineUp(entry);
      }
      look();
      await mine.over(limitMs);
      return mine.outcomes;
    },
    wake,
  };

  function wake(): void {
    const waiting = [...held.values()];
    held.clear();
    for (const entry of waiting)
      if (entries.get(entry.key) === entry) put(offline.has(entry.key) ? { ...entry, due: now() } : entry);
    look();
  }

  return {
    work,
    load(found: readonly WorkEntry[]): void {
      entries.clear();
      held.clear();
      for (const entry of found) put(isPlausible(entry) ? entry : { ...entry, due: now() });
    },
    look,
    wake,
    async stop(): Promise<void> {
      clearTimeout(timer);
      run?.end();
      await Promise.all(Array.from(underWay.values(), ({ done }) => done));
    },
  };
}

/** Creates a run: one attempt for each entry that is added to it. The run is over once all have been tried. */
function createRun<O>() {
  const left = new Set<string>();
  const outcomes = new Map<string, O | undefined>();
  let isOver = false;
  let tellOver: () => void = () => undefined;
  const whenOver = new Promise<void>((resolve) => (tellOver = resolve));

  function end(): void {
    isOver = true;
    tellOver();
  }

  return {
    outcomes,
    want(keys: readonly string[]): void {
      for (const key of keys) if (!outcomes.has(key)) left.add(key);
      if (left.size === 0) end();
    },
    tried(key: string, outcome: O | undefined): void {
      if (!left.delete(key)) return;
      outcomes.set(key, outcome);
      if (left.size === 0) end();
    },
    get isOver() {
      return isOver;
    },
    end,
    /** Resolves once all entries have been tried, or after `limitMs`. */
    async over(limitMs?: number): Promise<void> {
      if (limitMs === undefined) return whenOver;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
      await Promise.race([whenOver, late]);
      clearTimeout(timer);
    },
  };
}
