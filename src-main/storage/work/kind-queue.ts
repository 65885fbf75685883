import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Static, TSchema } from 'typebox';
import type { Transaction } from '../records/group-commit.ts';
import { HostRests } from './host-rests.ts';
import { Outcomes, type WorkOptions } from './outcomes.ts';
import { createRun } from './run.ts';
import { HostTurns } from './turns.ts';
import {
  type Attempt,
  type DefinedWork,
  type NewWork,
  type OneByOne,
  type Outcome,
  type RunNowOptions,
  type Together,
  type Work,
  type WorkEntry,
  type WorkKind,
} from './work-kind.ts';
import { WorkEntries } from './work-entries.ts';
import { workRows } from './work-rows.ts';

/** Each running attempt uses a socket, and up to 2 MB of memory for the response. */
const usualLimits = { all: 64, ofSite: 4, late: { late: 16, ofDebtor: 4 } };
/** Timers stop while the computer sleeps, and the clock can jump, so the queue looks at this interval, in ms. */
export const longestSleepMs = 60_000;
/** How many entries are read before other work gets a chance to run. */
export const entriesAtOnce = 500;
/** How many pieces of a batch are read, or their results stored, before other work gets a chance to run. */
const batchStep = 100;
/** How many due entries are lined up before other work gets a chance to run. The timer lines up the others. */
const dueAtOnce = 5000;

interface KindDeps extends WorkOptions {
  readonly signal: AbortSignal;
  readonly isStarted: () => boolean;
}

/** The attempts that are made together for a host. */
interface Turn {
  readonly begun: WorkEntry[];
  /** What to call when they end. */
  readonly ends: ((() => void) | undefined)[];
  readonly done: Promise<void>;
  /** When the turn began, in ms. */
  readonly at: number;
  /** How often the queue had been woken before. */
  readonly wakes: number;
  isLogged: boolean;
}

/** Attempts with their outcomes by key. */
type Made<S extends TSchema> = readonly [
  readonly Attempt<Static<S>>[],
  ReadonlyMap<string, Outcome<Static<S>>>,
];

/** The queue of one kind of work. */
export class KindQueue<S extends TSchema> implements DefinedWork<Static<S>> {
  readonly find: DefinedWork<Static<S>>['find'];
  readonly list: DefinedWork<Static<S>>['list'];
  readonly changeIn: DefinedWork<Static<S>>['changeIn'];
  readonly #kind: WorkKind<S>;
  readonly #deps: KindDeps;
  readonly #rows: ReturnType<typeof workRows<S>>;
  readonly #entries: WorkEntries;
  readonly #underWay = new Map<string, { readonly entry: WorkEntry; readonly turn: Turn }>();
  /** The keys of the work to try although it isn't due. */
  readonly #asked = new Set<string>();
  readonly #rests: HostRests;
  readonly #turns: HostTurns;
  readonly #outcomes: Outcomes<S>;
  #run: ReturnType<typeof createRun<Outcome<Static<S>>>> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checkedAt: number;
  #wakes = 0;
  #isSoon = false;

  constructor(kind: WorkKind<S>, deps: KindDeps) {
    this.#kind = kind;
    this.#deps = deps;
    this.#rows = workRows(kind, deps.records);
    this.find = this.#rows.find;
    this.list = this.#rows.list;
    this.changeIn = this.#rows.changeIn;
    this.#rests = new HostRests(kind.hostRests, deps.now);
    this.#entries = new WorkEntries(kind, deps.now);
    this.#outcomes = new Outcomes({
      kind,
      options: deps,
      rows: this.#rows,
      entries: this.#entries,
      rests: this.#rests,
    });
    this.#checkedAt = deps.now();
    this.#turns = new HostTurns({
      begin: (key, more) => this.#begin(key, more),
      limits: {
        all: kind.total ?? usualLimits.all,
        ofSite: kind.perParty ?? usualLimits.ofSite,
        ...(kind.late ?? usualLimits.late),
      },
      debtor: (key) => {
        const entry = this.#entries.byKey.get(key);
        return entry && kind.debtor?.(entry);
      },
    });
  }

  add(...works: readonly NewWork<Static<S>>[]): Promise<void> {
    return this.#deps.records.write((transaction) => this.addIn(transaction, ...works));
  }

  addIn(transaction: Transaction, ...works: readonly NewWork<Static<S>>[]): void {
    for (const one of works) {
      const entry = this.#rows.insert(transaction, one, this.#deps.now());
      transaction.after(() => {
        this.#entries.putNew(entry);
        this.#soon();
      });
    }
  }

  addMissing(...works: readonly NewWork<Static<S>>[]): Promise<void> {
    return this.#deps.records.write((transaction) => this.addMissingIn(transaction, ...works));
  }

  addMissingIn(transaction: Transaction, ...works: readonly NewWork<Static<S>>[]): void {
    for (const one of works) if (this.find(one.key, transaction) === undefined) this.addIn(transaction, one);
  }

  cancel(...keys: readonly string[]): Promise<void> {
    return this.#deps.records.write((transaction) => this.cancelIn(transaction, ...keys));
  }

  cancelIn(transaction: Transaction, ...keys: readonly string[]): void {
    for (const key of keys) {
      this.#rows.removeKey(transaction, key);
      transaction.after(() => this.#drop(key));
    }
  }

  entry(key: string): WorkEntry | undefined {
    return this.#entries.byKey.get(key);
  }

  entries(): Iterable<WorkEntry> {
    return this.#entries.byKey.values();
  }

  get size(): number {
    return this.#entries.byKey.size;
  }

  isUnderWay(key: string): boolean {
    const tried = this.#underWay.get(key);
    return tried !== undefined && this.#entries.hasCurrent(tried.entry);
  }

  async runNow({ only = () => true, limitMs }: RunNowOptions = {}): Promise<
    ReadonlyMap<string, Outcome<Static<S>> | undefined>
  > {
    const { signal } = this.#deps;
    if (this.#run?.isOver !== false) this.#run = createRun();
    const mine = this.#run;
    const requested = [...this.#entries.byKey.values()].filter(
      (entry) => this.#entries.waits(entry) && only(entry),
    );
    mine.request(signal.aborted ? [] : requested.map(({ key }) => key));
    for (const entry of requested) {
      if (this.#underWay.get(entry.key)?.entry.seq === entry.seq) continue;
      this.#asked.add(entry.key);
      this.#lineUp(entry);
    }
    this.startDue();
    await mine.over(limitMs);
    return mine.outcomes;
  }

  wake(): void {
    this.#wakes += 1;
    this.#rests.wake();
    this.#entries.wake();
    this.startDue();
  }

  /** Replaces all entries by those that were found in the database. */
  load(found: readonly WorkEntry[]): void {
    this.#asked.clear();
    this.#entries.load(found);
  }

  /** Tries the work that is due. */
  startDue(): void {
    const { now, isStarted, signal } = this.#deps;
    clearTimeout(this.#timer);
    if (signal.aborted) return;
    const moment = now();
    if (moment < this.#checkedAt) {
      this.#entries.bringForward();
      this.#rests.bringForward();
    }
    this.#checkedAt = moment;
    if (isStarted())
      for (let count = 0; count < dueAtOnce; count += 1) {
        const entry = this.#entries.order.take(moment);
        if (entry === undefined) break;
        this.#lineUp(entry);
      }
    this.#turns.start();
    const next = this.#entries.order.next();
    if (isStarted() && next < Infinity) {
      const pause = Math.min(Math.max(next - now(), 10), longestSleepMs);
      this.#timer = setTimeout(() => this.startDue(), pause).unref();
    }
  }

  /** Ends a run, and waits for the attempts that are being made. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#run?.end();
    await Promise.all(Array.from(this.#underWay.values(), ({ turn }) => turn.done));
  }

  #drop(key: string): void {
    this.#asked.delete(key);
    this.#entries.drop(key);
  }

  #lineUp({ key, host, party }: WorkEntry): void {
    this.#turns.add(key, host, party);
  }

  /** Looks for due work once all changes that share a write are known. */
  #soon(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    queueMicrotask(() => {
      this.#isSoon = false;
      this.startDue();
    });
  }

  /** Begins a turn with the first entry that may be tried, from the key `first` on. Returns undefined if there is none. */
  #begin(first: string, more: () => string | undefined): Promise<void> | undefined {
    let finish: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (finish = resolve));
    const turn: Turn = {
      begun: [],
      ends: [],
      done,
      at: this.#deps.now(),
      wakes: this.#wakes,
      isLogged: false,
    };
    if (this.#beginNext(turn, first, more) === undefined) return undefined;
    void this.#attempt(turn, () => this.#beginNext(turn, more(), more)).then((outcomes) => {
      for (const end of turn.ends) end?.();
      for (const { key } of turn.begun) {
        this.#underWay.delete(key);
        this.#run?.tried(key, outcomes.get(key));
        // The work may have been added again, or read again, while it was being tried.
        this.#entries.lineUpAgain(key);
      }
      this.startDue();
      finish();
    });
    return done;
  }

  #beginNext(turn: Turn, from: string | undefined, more: () => string | undefined): WorkEntry | undefined {
    for (let key = from; key !== undefined; key = more()) {
      const entry = this.#entries.byKey.get(key);
      const isAsked = this.#asked.delete(key);
      if (entry !== undefined && this.#mayBegin(entry, isAsked)) {
        turn.begun.push(entry);
        turn.ends.push(this.#kind.began?.(entry));
        this.#underWay.set(key, { entry, turn });
        return entry;
      }
      this.#run?.tried(key, undefined);
    }
    return undefined;
  }

  /** Returns whether an entry may be tried now. If it may be later, sees to that. */
  #mayBegin(entry: WorkEntry, isAsked: boolean): boolean {
    const { now, signal } = this.#deps;
    if (signal.aborted || !this.#entries.waits(entry) || this.#underWay.has(entry.key)) return false;
    const due = Math.max(entry.due, this.#rests.until(entry.host));
    if (due > now() && !isAsked) {
      this.#entries.delay(entry, due, this.#rests.isHere(entry.host) && entry.due <= now());
      return false;
    }
    if (this.#kind.mayRun?.(entry) !== false) return true;
    this.#entries.hold(entry);
    return false;
  }

  /** Makes the attempts of a turn, to which `next` adds. Never rejects. Returns the outcomes by key. */
  async #attempt(
    turn: Turn,
    next: () => WorkEntry | undefined,
  ): Promise<ReadonlyMap<string, Outcome<Static<S>>>> {
    const ended = new Map<string, Outcome<Static<S>>>();
    try {
      const kind = this.#kind;
      const [made, outcomes] =
        'batch' in kind ? await this.#makeTogether(kind.batch, turn, next) : await this.#makeOne(kind, turn);
      for (let from = 0; from < made.length; from += batchStep)
        await Promise.all(
          made.slice(from, from + batchStep).map(async (one) => {
            const outcome = outcomes.get(one.key);
            if (outcome && (await this.#end(turn, one, outcome))) ended.set(one.key, outcome);
          }),
        );
    } catch (error) {
      for (const entry of turn.begun) this.#failedHere(turn, entry, error);
    }
    return ended;
  }

  /** Makes the attempt of a turn, which begins at once. */
  async #makeOne(kind: OneByOne<S>, { begun: [first] }: Turn): Promise<Made<S>> {
    const attempt = first && this.#attemptOf(first);
    if (attempt === undefined) return [[], new Map()];
    return [[attempt], new Map([[attempt.key, await kind.run(attempt)]])];
  }

  /** Makes the attempts of a turn together, as many as a batch has room for. */
  async #makeTogether(
    batch: Together<S>['batch'],
    turn: Turn,
    next: () => WorkEntry | undefined,
  ): Promise<Made<S>> {
    const made: Attempt<Static<S>>[] = [];
    const [first] = turn.begun;
    const hasRoom = batch.room(first?.host ?? '');
    for (let entry = first, read = 1; entry !== undefined; entry = next(), read += 1) {
      const attempt = this.#attemptOf(entry);
      if (attempt) made.push(attempt);
      if ((attempt && !hasRoom(attempt)) || this.#deps.signal.aborted) break;
      if (read % batchStep === 0) await nextTurn();
    }
    return [made, made.length === 0 ? new Map() : await batch.run(made)];
  }

  #attemptOf(entry: WorkEntry): Attempt<Static<S>> | undefined {
    const work = this.#read(entry);
    return work && { ...work, signal: this.#deps.signal, hasMore: () => this.#turns.hasMore(entry.host) };
  }

  /** Reads the payload of an entry. Sets it aside if that can't be read. */
  #read(entry: WorkEntry): Work<Static<S>> | undefined {
    const { log, setAside } = this.#deps;
    const found = this.#rows.read(entry);
    if (found === undefined) {
      this.#entries.dropCurrent(entry);
      return undefined;
    }
    const { payload, words } = found;
    if (payload !== undefined) return { ...entry, payload, words };
    log.error({ kind: this.#kind.kind, key: entry.key }, 'Work can’t be read, so it is set aside.');
    this.#entries.put({ ...entry, state: 'unreadable' });
    setAside?.(this.#kind.kind);
    this.#rows
      .setAside(entry)
      .catch((error: unknown) => log.warn({ err: error }, 'work could not be set aside'));
    return undefined;
  }

  /** Ends an attempt with its outcome. Returns false if it wasn't made, or if its result could not be stored. */
  async #end(turn: Turn, made: Attempt<Static<S>>, outcome: Outcome<Static<S>>): Promise<boolean> {
    // If a failure came from stopping, the work is tried again after the next start.
    if (this.#deps.signal.aborted && outcome.kind === 'failed') return false;
    if (outcome.kind === 'held') {
      const entry = this.#entries.byKey.get(made.key);
      // If the queue was woken in the meantime, the reason to wait may be gone.
      if (entry?.seq === made.seq && turn.wakes === this.#wakes) this.#entries.hold(entry);
      return true;
    }
    try {
      await this.#outcomes.settle(turn.at, made, outcome);
      return true;
    } catch (error) {
      this.#failedHere(turn, made, error);
      return false;
    }
  }

  #failedHere(turn: Turn, entry: WorkEntry, error: unknown): void {
    const { log, signal } = this.#deps;
    if (signal.aborted) return;
    const about = { err: error, kind: this.#kind.kind, key: entry.key };
    if (!turn.isLogged) log.error(about, 'Work failed on this computer. It is tried again.');
    turn.isLogged = true;
    this.#outcomes.failedHere(entry);
  }
}
