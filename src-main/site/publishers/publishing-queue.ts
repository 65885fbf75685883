import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';
import { coalesced } from '../../storage/coalesce.ts';
import type { Recovery } from '../../storage/recovery.ts';
import { openStateJournal } from '../../storage/state-journal.ts';
import { createDueEntries } from './due-entries.ts';
import type { Outcome, Publisher } from './publisher.ts';
import { entryId, type PublisherName, type PublishingEntry } from './publishing-entry.ts';
import {
  laterThan,
  publishingCodec,
  settledPublishing,
  unfinished,
  withFiles,
} from './publishing-journal.ts';

interface PublishingQueueOptions {
  /** The full path of `publishing/journal.jsonl`. */
  readonly file: string;
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  readonly now: () => number;
  readonly log: Log;
  /** Returns whether publishing is enabled now. While it is disabled, entries wait. */
  readonly isOn: () => boolean;
  /** Called after each change of an entry. `before`: the previous state; absent for a new entry. Must not throw. */
  readonly changed: (entry: PublishingEntry, before: PublishingEntry | undefined) => void;
}

/** A request to publish a post or file. Absent fields have their default values. */
export type PublishingOrder = Pick<PublishingEntry, 'publisher' | 'key'> &
  Pick<Partial<PublishingEntry>, 'quiet'> & { readonly due?: number | undefined };

const mostChecks = 4;
const longestSleepMs = 60_000;

export type PublishingQueue = Awaited<ReturnType<typeof openPublishingQueue>>;

/**
 * Opens the queue of content to publish. Entries that `add` has confirmed are published eventually, even if the process
 * is killed, the computer sleeps or attempts fail. Publishes nothing before `start`.
 * @throws the same errors as `openStateJournal`
 */
export async function openPublishingQueue(options: PublishingQueueOptions) {
  const { now, log, isOn, changed } = options;
  const disk = await openStateJournal<PublishingEntry>({
    ...options,
    codec: publishingCodec,
    current: unfinished,
  });
  const moment = (at: number) => new Date(at).toISOString();
  // For some entries, the only task left is to check for files from a push that seemed to have failed. These entries
  // are due now, because such a push may have arrived since the last run.
  const begun = disk.entries.map((entry) => (entry.watched ? { ...entry, due: moment(0) } : entry));
  const entries = new Map(begun.map((entry) => [entryId(entry), entry]));
  const unsaved = new Map<string, PublishingEntry>();
  const publishers = new Map<PublisherName, Publisher>();
  const stopping = new AbortController();
  const { signal } = stopping;
  /** The names of publishers that are publishing, and the ids of entries that are being checked. */
  const busy = new Set<string>();
  let checks = 0;
  const dueEntries = createDueEntries({ isCurrent: (entry) => entries.get(entryId(entry)) === entry, now });
  const underWay = new Set<Promise<void>>();
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;

  const save = coalesced(async () => {
    const lines = [...unsaved.values()];
    unsaved.clear();
    try {
      await disk.save(lines, () => [...entries.values()]);
    } catch (error) {
      for (const line of lines) if (!unsaved.has(entryId(line))) unsaved.set(entryId(line), line);
      throw error;
    }
  });

  function put(entry: PublishingEntry): void {
    const id = entryId(entry);
    const before = entries.get(id);
    if (entry.state === 'done') entries.delete(id);
    else {
      entries.set(id, entry);
      dueEntries.add(entry);
    }
    unsaved.set(id, entry);
    changed(entry, before);
  }

  /**
   * Records the outcome for an entry. If the entry has changed in the meantime, ignores the outcome, because the queue
   * will publish the entry again.
   */
  function settle(entry: PublishingEntry, outcome: Outcome): void {
    const id = entryId(entry);
    const current = entries.get(id);
    if (current === undefined || current.since !== entry.since || current.state !== entry.state) return;
    put(settledPublishing(current, outcome, now()));
  }

  async function publish(publisher: Publisher, batch: readonly PublishingEntry[]): Promise<void> {
    try {
      const outcomes = await publisher.publish(batch, {
        signal,
        async begin(writing) {
          for (const [id, files] of writing) {
            const current = entries.get(id);
            if (current) put({ ...current, writing: withFiles(current.writing, files) });
          }
          await save();
        },
      });
      for (const entry of batch) {
        const outcome = outcomes.get(entryId(entry));
        if (outcome && !signal.aborted) settle(entry, outcome);
      }
      await save();
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error, publisher: publisher.name }, 'posts could not be published');
      for (const entry of batch) settle(entry, { kind: 'failed', words: wordsOf(error) });
    }
  }

  async function check(publisher: Publisher, entry: PublishingEntry): Promise<void> {
    const done: Outcome = { kind: 'done' };
    const outcome = await (publisher.check?.(entry, signal) ?? Promise.resolve(done)).catch(
      (error: unknown): Outcome => ({ kind: 'failed', words: wordsOf(error) }),
    );
    if (signal.aborted) return;
    settle(entry, outcome);
    await save();
  }

  function run(name: string, work: () => Promise<void>): void {
    busy.add(name);
    const done = work()
      .catch(async (error: unknown) => {
        log.warn({ err: error }, 'what was published could not be written down');
        await pause(1000, undefined, { signal }).catch(() => undefined);
      })
      .finally(() => {
        busy.delete(name);
        underWay.delete(done);
        look();
      });
    underWay.add(done);
  }

  /** Starts all work that is due, and sets the timer for the next due entry. */
  function look(): void {
    clearTimeout(timer);
    if (!isStarted || signal.aborted || !isOn()) return;
    const at = now();
    const next: number[] = [];
    for (const publisher of publishers.values()) {
      const { name } = publisher;
      const batch = busy.has(name) ? [] : dueEntries.take(name, 'waiting', at, publisher.batch);
      if (batch.length > 0) run(name, () => publish(publisher, batch));
      const free = mostChecks - checks;
      for (const entry of dueEntries.take(name, 'building', at, { all: free, news: free })) {
        checks += 1;
        run(entryId(entry), () => check(publisher, entry).finally(() => (checks -= 1)));
      }
      if (!busy.has(name)) next.push(dueEntries.next(name, 'waiting'));
      if (checks < mostChecks) next.push(dueEntries.next(name, 'building'));
    }
    const soonest = Math.min(...next);
    // The clock can jump and the computer can sleep, so the timer's delay is limited.
    if (soonest < Infinity)
      timer = setTimeout(look, Math.min(Math.max(0, soonest - at), longestSleepMs)).unref();
  }

  for (const entry of entries.values()) dueEntries.add(entry);

  return {
    /**
     * Returns the unfinished entries, oldest first. Leaves out `watched` entries, whose only remaining task is to check
     * whether a push that seemed to fail arrives late.
     */
    list: (): PublishingEntry[] => [...entries.values()].filter(({ watched }) => !watched),
    get: (publisher: PublisherName, key: string) => {
      const entry = entries.get(entryId({ publisher, key }));
      return entry?.watched ? undefined : entry;
    },
    /** Returns whether any publisher is working now. */
    isBusy: () => busy.size > 0,

    /** Adds a publisher. Call it before `start`. */
    connect: (publisher: Publisher) => void publishers.set(publisher.name, publisher),

    /**
     * Adds requests to publish (orders). Each order replaces an unfinished entry with the same key. Resolves once the
     * orders are in the journal.
     * @throws PorchlightError `storage_…`
     */
    async add(orders: readonly PublishingOrder[]): Promise<void> {
      const at = now();
      for (const { due = at, ...order } of orders) {
        const before = entries.get(entryId(order));
        const isQuiet = order.quiet === true && (before === undefined || before.quiet === true);
        put({
          ...{ publisher: order.publisher, key: order.key, state: 'waiting', words: '', failures: 0 },
          ...{ since: laterThan(before?.since, at), stateSince: moment(at), due: moment(due) },
          writing: before?.writing ?? {},
          ...(isQuiet && { quiet: true }),
        });
      }
      try {
        await save();
      } finally {
        look();
      }
    },

    /**
     * Retries the unfinished entry with the given id, or all unfinished entries if no id is given. `replace`: whether
     * to overwrite files that are in conflict. Resolves once the change is in the journal.
     */
    async retry(id: string | undefined, replace: boolean): Promise<void> {
      const at = moment(now());
      for (const entry of [...entries.values()]) {
        if (id !== undefined && entryId(entry) !== id) continue;
        const state = entry.state === 'conflict' ? 'waiting' : entry.state;
        put({ ...entry, state, due: at, failures: 0, ...(replace && { replace: true }) });
      }
      await save();
      look();
    },

    /**
     * Starts the work on entries that are due. Call this at the start, after sleep, and when publishing is turned on.
     */
    wake: look,

    start(): void {
      isStarted = true;
      look();
    },

    /** Stops publishing. Unfinished entries continue at the next start. */
    async stop(): Promise<void> {
      stopping.abort();
      clearTimeout(timer);
      await Promise.all(underWay);
      await save().catch((error: unknown) => log.warn({ err: error }, 'the journal could not be written'));
      await disk.close();
    },
  };
}

const wordsOf = (error: unknown) =>
  error instanceof Error && 'words' in error && typeof error.words === 'string'
    ? error.words
    : 'Something went wrong. Porchlight will try again.';
