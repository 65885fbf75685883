import type { Log } from '../../platform/log.ts';
import { scheduleOf } from '../../platform/retry-schedule.ts';
import type { Transaction } from '../../storage/records/group-commit.ts';
import type { Records } from '../../storage/records/records.ts';
import type {
  Also,
  Attempt,
  DefinedWork,
  NewWork,
  Outcome as WorkOutcome,
  WorkEntry,
} from '../../storage/work/work-kind.ts';
import type { WorkQueue } from '../../storage/work/work.ts';
import {
  entryId,
  type Outcome,
  partsOfId,
  type Publisher,
  type PublisherName,
  type PublishingEntry,
  PublishingPayload,
  withFiles,
} from './publisher.ts';

interface PublishingQueueOptions {
  readonly work: Pick<WorkQueue, 'defineWork'>;
  readonly records: Pick<Records, 'write'>;
  readonly now: () => number;
  readonly log: Log;
  /** Returns whether publishing is enabled now. While it is disabled, entries wait. */
  readonly isOn: () => boolean;
  /** Called after changes of the queue. Must not throw. */
  readonly changed: () => void;
  /** Called when an entry needs the owner's attention, with a message for the owner. Must not throw. */
  readonly needsOwner: (reason: 'conflict' | 'late', words: string) => void;
  /** Called when nothing is left to do for an entry that the owner sees. Must not throw. */
  readonly finished: (id: string) => void;
}

/** A request to publish a post or file. Absent fields have their default values. */
export type PublishingOrder = Pick<PublishingEntry, 'publisher' | 'key'> &
  Pick<Partial<PublishingEntry>, 'quiet'> & { readonly due?: number | undefined };

/** An unfinished entry, as the owner sees it. */
export interface PublishingItem {
  readonly id: string;
  readonly key: string;
  /**
   * `waiting`: not published yet. `building`: published, but not live yet. `late`: not live for a long time. `conflict`:
   * the owner has to decide.
   */
  readonly state: 'waiting' | 'building' | 'late' | 'conflict';
  /** The number of failed attempts in the current state. */
  readonly failures: number;
  /** When the next attempt is due, in ms. */
  readonly due: number;
}

/** How long after publication the owner is notified if the page isn't live yet, in ms. */
const lateMs = 3_600_000;
const mostChecks = 4;
/** How many entries a transaction changes, so that none takes long. */
const changedAtOnce = 200;
/** The owner causes all of this work. */
const party = 'owner';
/**
 * The state of an entry whose only remaining task is to check whether a push that seemed to fail arrives late. The owner
 * doesn't see such entries.
 */
const watched = 'watched';

type Payload = PublishingPayload;
type Made = Attempt<Payload>;

/**
 * The queue of content to publish. Entries that `add` has confirmed are published eventually, even if the process is
 * killed, the computer sleeps or attempts fail. An entry is work of one of two kinds: it has to be published, or it is
 * published and has to be seen live.
 */
export class PublishingQueue {
  readonly #options: PublishingQueueOptions;
  readonly #publishers = new Map<string, Publisher>();
  readonly #publish: DefinedWork<Payload>;
  readonly #liveCheck: DefinedWork<Payload>;
  #busy = 0;
  /** While entries are added in several steps, none is published, so that they share a commit. */
  #adding = 0;
  #isReporting = false;

  constructor(options: PublishingQueueOptions) {
    this.#options = options;
    const common = {
      payload: PublishingPayload,
      mayRun: () => options.isOn() && this.#adding === 0,
      began: () => {
        this.#busy += 1;
        this.#report();
        return () => {
          this.#busy -= 1;
          this.#report();
        };
      },
    };
    this.#publish = options.work.defineWork({
      kind: 'publish',
      ...common,
      tried: [watched],
      retries: scheduleOf('publishing'),
      batch: { room: (host) => this.#room(host), run: (attempts) => this.#publishAll(attempts) },
    });
    this.#liveCheck = options.work.defineWork({
      kind: 'live-check',
      ...common,
      tried: ['late'],
      retries: scheduleOf('liveCheck'),
      perParty: mostChecks,
      total: mostChecks,
      run: (attempt) => this.#check(attempt),
    });
  }

  /** Returns the unfinished entries that concern the owner: first those to publish, then those that aren't live. */
  list(): PublishingItem[] {
    const items: PublishingItem[] = [];
    for (const entry of this.#publish.entries()) {
      const state = entry.state === 'planned' ? 'waiting' : entry.state;
      if (state === 'waiting' || state === 'conflict') items.push(itemOf(entry, state));
    }
    for (const entry of this.#liveCheck.entries())
      if (entry.state === 'waiting') items.push(itemOf(entry, 'building'));
      else if (entry.state === 'late') items.push(itemOf(entry, 'late'));
    return items;
  }

  /** Returns whether an entry is unfinished. */
  has(publisher: PublisherName, key: string): boolean {
    const id = entryId({ publisher, key });
    const isWaiting = ({ state }: WorkEntry) => state !== watched && state !== 'unreadable';
    return [this.#publish.entry(id), this.#liveCheck.entry(id)].some(
      (entry) => entry !== undefined && isWaiting(entry),
    );
  }

  /**
   * Returns the message about an entry's most recent event, which is empty if there was none, and when the entry
   * entered its current state, in ms; undefined if there is no such entry.
   */
  details(id: string): { readonly words: string; readonly stateSince: number } | undefined {
    const found = this.#publish.find(id) ?? this.#liveCheck.find(id);
    return found && { words: found.words ?? '', stateSince: found.payload.stateSince };
  }

  /** Returns whether any publisher is working now. */
  isBusy(): boolean {
    return this.#busy > 0;
  }

  /** Adds a publisher. Call it before the work is started. */
  connect(publisher: Publisher): void {
    this.#publishers.set(publisher.name, publisher);
  }

  /**
   * Adds requests to publish (orders). Each order replaces an unfinished entry with the same key. Resolves once the
   * orders are on disk.
   * @throws PorchlightError `storage_…`
   */
  async add(orders: readonly PublishingOrder[]): Promise<void> {
    const at = this.#options.now();
    this.#adding += 1;
    try {
      await this.#inSteps(orders, (transaction, { due = at, quiet, ...order }) => {
        const id = entryId(order);
        const before = this.#publish.find(id, transaction) ?? this.#liveCheck.find(id, transaction);
        const isQuiet = quiet === true && (before === undefined || before.payload.quiet === true);
        const payload = {
          since: at,
          stateSince: at,
          writing: before?.payload.writing ?? {},
          ...(isQuiet && { quiet: true as const }),
        };
        this.#publish.addIn(transaction, { ...toPublish(id, payload), due });
        this.#liveCheck.cancelIn(transaction, id);
      });
    } finally {
      this.#adding -= 1;
      this.wake();
      this.#report();
    }
  }

  /**
   * Retries the unfinished entry with the given id, or all unfinished entries if no id is given. `replace`: whether
   * to overwrite files that are in conflict. Resolves once the change is on disk.
   * @throws PorchlightError `storage_…`
   */
  async retry(id: string | undefined, replace: boolean): Promise<void> {
    const all = [...this.#publish.entries(), ...this.#liveCheck.entries()].map(({ key }) => key);
    await this.#inSteps(id === undefined ? all : [id], (transaction, one) =>
      this.#addAgain(transaction, one, replace),
    );
    this.#report();
  }

  /** Tries the entries that waited because publishing was off. */
  wake(): void {
    this.#publish.wake();
    this.#liveCheck.wake();
  }

  /**
   * Looks for files of pushes that seemed to have failed, because such a push may have arrived since the last run.
   */
  start(): void {
    void this.#publish.runNow({ only: ({ state }) => state === watched });
  }

  /** Reports changes that happen together once. */
  #report(): void {
    if (this.#isReporting) return;
    this.#isReporting = true;
    queueMicrotask(() => {
      this.#isReporting = false;
      this.#options.changed();
    });
  }

  /** Replaces an entry by one that is watched, and tried at `at` (ms). */
  #watching(id: string, payload: Payload, at: number): Also {
    return ifCurrent((transaction) => {
      this.#publish.addIn(transaction, { ...toPublish(id, payload), due: at, state: watched });
      transaction.after(() => this.#options.finished(id));
    });
  }

  /** Makes changes in transactions, each of a limited size. Resolves once all are on disk. */
  async #inSteps<T>(all: readonly T[], change: (transaction: Transaction, one: T) => void): Promise<void> {
    for (let from = 0; from < all.length; from += changedAtOnce) {
      const some = all.slice(from, from + changedAtOnce);
      await this.#options.records.write((transaction) => {
        for (const one of some) change(transaction, one);
      });
    }
  }

  /** Returns a function that counts the entries of a batch, and returns whether there is room; see Publisher.batch. */
  #room(host: string): (added: { readonly payload: Payload }) => boolean {
    const most = this.#publishers.get(host)?.batch ?? { all: 1, news: 1 };
    let [all, news] = [0, 0];
    return ({ payload }) => {
      all += 1;
      if (!payload.quiet) news += 1;
      return all < most.all && news < most.news;
    };
  }

  async #publishAll(attempts: readonly Made[]): Promise<Map<string, WorkOutcome<Payload>>> {
    const [first] = attempts;
    const publisher = this.#publishers.get(first?.host ?? '');
    if (first === undefined || publisher === undefined)
      return new Map(attempts.map(({ key }) => [key, failed('There is no such publisher.', false)]));
    const { signal } = first;
    /** The payloads with the files that this attempt was about to write. */
    const payloads = new Map(attempts.map(({ key, payload }) => [key, payload]));
    try {
      const outcomes = await publisher.publish(attempts.map(entryOf), {
        signal,
        begin: (writing) =>
          this.#inSteps([...writing], (transaction, [id, files]) => {
            const withThese = (payload: Payload) => ({
              ...payload,
              writing: withFiles(payload.writing, files),
            });
            this.#publish.changeIn(transaction, id, withThese);
            const payload = payloads.get(id);
            if (payload) payloads.set(id, withThese(payload));
          }),
      });
      return new Map(
        attempts.flatMap(({ key, payload }) => {
          const outcome = outcomes.get(key);
          return outcome ? [[key, this.#published(key, payloads.get(key) ?? payload, outcome)]] : [];
        }),
      );
    } catch (error) {
      // A failure that came from stopping is none.
      if (signal.aborted) return new Map();
      this.#options.log.warn({ err: error, publisher: publisher.name }, 'posts could not be published');
      return new Map(attempts.map(({ key }) => [key, failed(troubleWords(error))]));
    }
  }

  /** Returns what becomes of an entry after an attempt to publish it. */
  #published(id: string, payload: Payload, outcome: Outcome): WorkOutcome<Payload> {
    const at = this.#options.now();
    const { replace: _replace, ...unmarked } = { ...payload, stateSince: at };
    switch (outcome.kind) {
      case 'done':
        return { kind: 'done', also: reporting(() => this.#options.finished(id)) };
      case 'building':
        return {
          kind: 'done',
          also: ifCurrent((transaction) => this.#liveCheck.addIn(transaction, toCheck(id, unmarked))),
        };
      case 'failed':
        return failed(outcome.words);
      case 'later':
        return {
          kind: 'later',
          at: outcome.at,
          tries: 0,
          words: outcome.words,
          state: outcome.at > at ? 'planned' : 'waiting',
          payload: { ...payload, stateSince: at },
        };
      case 'watched':
        return { kind: 'done', also: this.#watching(id, unmarked, outcome.at) };
      case 'conflict':
        return {
          // The owner's decision to replace a file applied only to the file as it was at that time.
          kind: 'stays',
          state: 'conflict',
          words: outcome.words,
          payload: unmarked,
          also: reporting(() => this.#options.needsOwner('conflict', outcome.words)),
        };
    }
  }

  async #check(attempt: Made): Promise<WorkOutcome<Payload>> {
    const { key: id, signal, state } = attempt;
    const entry = entryOf(attempt);
    const outcome = await (this.#publishers.get(entry.publisher)?.check?.(entry, signal) ?? done).catch(
      (error: unknown) => ({ kind: 'failed' as const, words: troubleWords(error) }),
    );
    const { isAsked: _isAsked, ...payload } = { ...attempt.payload, stateSince: this.#options.now() };
    switch (outcome.kind) {
      case 'done':
        return { kind: 'done', also: reporting(() => this.#options.finished(id)) };
      case 'failed': {
        const isLate = state !== 'late' && this.#options.now() - attempt.payload.stateSince >= lateMs;
        if (!isLate) return failed(outcome.words);
        return {
          ...failed(outcome.words),
          state: 'late',
          also: reporting(() => this.#options.needsOwner('late', outcome.words)),
        };
      }
      case 'later':
        return {
          kind: 'done',
          also: ifCurrent((transaction) =>
            this.#publish.addIn(transaction, { ...toPublish(id, payload), due: outcome.at }),
          ),
        };
      case 'watched':
        return { kind: 'done', also: this.#watching(id, payload, outcome.at) };
    }
  }

  /** Adds an entry again, so that it is tried now, as if it had never failed. */
  #addAgain(transaction: Transaction, id: string, replace: boolean): void {
    const waiting = this.#publish.find(id, transaction);
    if (waiting) {
      const payload = replace ? { ...waiting.payload, replace: true as const } : waiting.payload;
      const again = toPublish(id, payload);
      this.#publish.addIn(transaction, waiting.state === watched ? { ...again, state: watched } : again);
    }
    const building = this.#liveCheck.find(id, transaction);
    if (building) {
      const again = toCheck(id, { ...building.payload, isAsked: true });
      this.#liveCheck.addIn(transaction, building.state === 'late' ? { ...again, state: 'late' } : again);
    }
  }
}

/** Returns work for a publisher. A publisher has one batch at a time, and pages are checked at the same time. */
const toPublish = (key: string, payload: Payload) => {
  const host = partsOfId(key)?.publisher ?? '';
  return { key, party, host, payload };
};
const toCheck = (key: string, payload: Payload): NewWork<Payload> => ({ key, party, host: key, payload });

/** Returns a change that is made only if the entry was neither cancelled nor added again meanwhile. */
const ifCurrent =
  (change: (transaction: Transaction) => void): Also =>
  (transaction, isCurrent) => {
    if (isCurrent) change(transaction);
  };

const reporting = (reportNow: () => void): Also => ifCurrent((transaction) => transaction.after(reportNow));

const done = Promise.resolve({ kind: 'done' as const });

const failed = (words: string, mayPass = true) => ({ kind: 'failed' as const, words, mayPass });

function entryOf({ key: id, payload, tries, state }: Made): PublishingEntry {
  const { publisher, key } = partsOfId(id) ?? { publisher: 'posts', key: id };
  return { ...payload, publisher, key, failures: tries, ...(state === watched && { watched: true }) };
}

// There may be many entries, so this is as cheap as it can be.
const itemOf = ({ key, tries, due }: WorkEntry, state: PublishingItem['state']): PublishingItem => ({
  id: key,
  key: key.slice(key.indexOf(':') + 1),
  state,
  failures: tries,
  due,
});

const troubleWords = (error: unknown) =>
  error instanceof Error && 'words' in error && typeof error.words === 'string'
    ? error.words
    : 'Something went wrong. Porchlight will try again.';
