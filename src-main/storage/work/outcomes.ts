import type { Static, TSchema } from 'typebox';
import type { Transaction } from '../records/group-commit.ts';
import type { Records } from '../records/records.ts';
import type { HostRests } from './host-rests.ts';
import type { WorkEntries } from './work-entries.ts';
import {
  type Also,
  type Attempt,
  nextAttemptIn,
  type Outcome,
  type WorkEntry,
  type WorkKind,
} from './work-kind.ts';
import type { workRows } from './work-rows.ts';

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

/** The pause after a failure of this computer, and while it is offline, in ms: 5 minutes. */
const pauseHereMs = 300_000;
/**
 * The maximum number of attempts of one piece of work while offline: 30 days, so that dead work doesn't stay forever,
 * unless its kind never gives up.
 */
const mostOffline = 30 * 24 * 12;
/** What an attempt changes of an entry. */
type Change<P> = Partial<Pick<WorkEntry, 'due' | 'tries' | 'early' | 'state'>> & {
  readonly payload?: P;
  readonly words?: string;
};

interface OutcomeDeps<S extends TSchema> {
  readonly kind: WorkKind<S>;
  readonly options: WorkOptions;
  readonly rows: ReturnType<typeof workRows<S>>;
  readonly entries: WorkEntries;
  readonly rests: HostRests;
}

/** Applies the outcomes of attempts to the work. */
export class Outcomes<S extends TSchema> {
  readonly #deps: OutcomeDeps<S>;

  constructor(deps: OutcomeDeps<S>) {
    this.#deps = deps;
  }

  /**
   * Settles an attempt. `at`: when it began, in ms. Work that is due later is tried early, because somebody asked for it.
   * @throws the errors of Records.write
   */
  async settle(
    at: number,
    made: Attempt<Static<S>>,
    outcome: Exclude<Outcome<Static<S>>, { kind: 'held' }>,
  ): Promise<void> {
    const { entries } = this.#deps;
    const { also } = outcome;
    switch (outcome.kind) {
      case 'done':
        // The attempt may have cancelled its own work, together with its changes.
        return also === undefined && !entries.hasCurrent(made)
          ? undefined
          : this.#write(made, undefined, also);
      case 'stays':
        return this.#write(made, outcome, also);
      case 'later':
        return this.#write(made, { state: 'waiting', ...outcome, due: outcome.at, early: 0 }, also);
      case 'failed':
        return this.#failed(at, made, outcome);
    }
  }

  async #failed(
    at: number,
    made: Attempt<Static<S>>,
    outcome: Extract<Outcome<Static<S>>, { kind: 'failed' }>,
  ): Promise<void> {
    const { words, mayPass, notBefore, restsHost, also } = outcome;
    const { kind, options, entries, rests } = this.#deps;
    const { retries } = kind;
    const next = outcome.state === undefined ? { words } : { words, state: outcome.state };
    const moment = options.now();
    if (restsHost === true) rests.rest(made.host, notBefore);
    if (mayPass && made.due > at)
      return this.#write(made, { ...next, early: made.early + 1 }, also, entries.paused.has(made.key));
    const isOffline = mayPass && !options.online();
    const passed = entries.offline.get(made.key) ?? 0;
    if (isOffline && (retries.isEndless === true || passed < mostOffline)) {
      entries.offline.set(made.key, passed + 1);
      return this.#write(made, { ...next, due: moment + pauseHereMs }, also, true);
    }
    const tries = made.tries + 1;
    const due =
      mayPass && !isOffline
        ? nextAttemptIn(retries, { failures: tries, now: moment, asked: notBefore })
        : undefined;
    // The time of the next attempt is no longer the one that somebody chose.
    const state = made.state === 'planned' ? 'waiting' : made.state;
    if (due !== undefined) return this.#write(made, { state, ...next, due, tries, early: 0 }, also);
    const end = kind.gaveUp?.(made, words);
    const both: Also = (transaction, isCurrent) => {
      also?.(transaction, isCurrent, true);
      end?.also?.(transaction, isCurrent, true);
    };
    return this.#write(made, end?.state === undefined ? undefined : { state: end.state, words }, both);
  }

  /** Lets work wait whose attempt or whose result this computer could not store. */
  failedHere({ key, seq, host }: WorkEntry): void {
    const { entries, options, rests } = this.#deps;
    const current = entries.byKey.get(key);
    if (current?.seq === seq) entries.pause({ ...current, due: options.now() + pauseHereMs });
    // Otherwise, all work for the host would be done again and again while its results can't be stored.
    rests.restHere(host);
  }

  /**
   * Changes or removes an entry, and makes what belongs to it in the same transaction. `isPaused`: whether `wake` makes
   * the entry due.
   */
  async #write(
    made: Attempt<Static<S>>,
    change: Change<Static<S>> | undefined,
    also: Also | undefined,
    isPaused = false,
  ): Promise<void> {
    const { entries, options, rows } = this.#deps;
    const wasCurrent = entries.hasCurrent(made);
    const next = change && {
      due: change.due ?? made.due,
      tries: change.tries ?? made.tries,
      early: change.early ?? made.early,
      state: change.state ?? made.state,
    };
    await options.records.write((transaction) => {
      const isChanged = next
        ? rows.update(transaction, made, { ...next, payload: change.payload, words: change.words ?? null })
        : this.#removeIn(transaction, made);
      also?.(transaction, isChanged, next === undefined);
    });
    if (next === undefined || !wasCurrent || !entries.hasCurrent(made)) return;
    const { seq, key, party, host } = made;
    const after = { seq, key, party, host, ...next };
    if (isPaused) entries.pause(after);
    else entries.put(after);
  }

  #removeIn(transaction: Transaction, entry: WorkEntry): boolean {
    transaction.after(() => this.#deps.entries.dropCurrent(entry));
    return this.#deps.rows.remove(transaction, entry);
  }
}
