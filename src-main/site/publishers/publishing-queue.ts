import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';
import { createDueOrder } from '../../platform/due-order.ts';
import { nextAttempt } from '../../platform/retry-schedule.ts';
import { coalesced } from '../../storage/coalesce.ts';
import { documentCodec } from '../../storage/document-format.ts';
import type { Recovery } from '../../storage/recovery.ts';
import { openStateJournal, readStateJournal } from '../../storage/state-journal.ts';
import type { Outcome, Publisher } from './publisher.ts';
import { entryId, publishingFormat, type PublisherName, type PublishingEntry } from './publishing-entry.ts';

interface PublishingQueueOptions {
  /** `publishing/journal.jsonl`. */
  readonly file: string;
  readonly onRecovered?: ((recovery: Recovery) => void) | undefined;
  /** Returns the time in ms. */
  readonly now: () => number;
  readonly log: Log;
  /** Returns whether anything may be published now. Entries wait until it does. */
  readonly isOn: () => boolean;
  /** Called after each change of an entry. `before`: absent if it is new. Must not throw. */
  readonly changed: (entry: PublishingEntry, before: PublishingEntry | undefined) => void;
}

/** What is to be published. Absent fields have their usual values. */
export type PublishingOrder = Pick<PublishingEntry, 'publisher' | 'key'> &
  Pick<Partial<PublishingEntry>, 'quiet'> & { readonly due?: number | undefined };

type DueOrder = ReturnType<typeof createDueOrder<PublishingEntry>>;

/** A page that is not live after this time, in ms, needs the owner. */
const lateMs = 3_600_000;
const mostChecks = 4;
const longestSleepMs = 60_000;
const longestWaitMs = 3_600_000;
const codec = documentCodec(publishingFormat);

export type PublishingQueue = Awaited<ReturnType<typeof openPublishingQueue>>;

/**
 * Opens the queue of what is to be published where. What `add` acknowledged is in the journal and is published
 * eventually, in spite of kills, sleep and failures; nothing is published before `start`.
 * @throws PorchlightError as openStateJournal does
 */
export async function openPublishingQueue(options: PublishingQueueOptions) {
  const { now, log, isOn, changed } = options;
  const disk = await openStateJournal<PublishingEntry>({ ...options, codec, current: unfinished });
  const entries = new Map(disk.entries.map((entry) => [entryId(entry), entry]));
  const unsaved = new Map<string, PublishingEntry>();
  const publishers = new Map<PublisherName, Publisher>();
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Publishers that are publishing, and ids of the entries that are being checked. */
  const busy = new Set<string>();
  let checks = 0;
  const orders = new Map<PublisherName, Record<'waiting' | 'building', DueOrder>>();
  const underWay = new Set<Promise<void>>();
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;

  const moment = (at: number) => new Date(at).toISOString();

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
      schedule(entry);
    }
    unsaved.set(id, entry);
    changed(entry, before);
  }

  /** Records what became of an entry, unless it has changed in the meantime: then it is published again. */
  function settle(entry: PublishingEntry, outcome: Outcome): void {
    const id = entryId(entry);
    const current = entries.get(id);
    if (current === undefined || current.since !== entry.since || current.state !== entry.state) return;
    put(settled(current, outcome, now()));
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

  /** Begins everything that is due, and sets the timer for the rest. */
  function look(): void {
    clearTimeout(timer);
    if (!isStarted || signal.aborted || !isOn()) return;
    const at = now();
    const next: number[] = [];
    for (const publisher of publishers.values()) {
      const { name } = publisher;
      const { waiting, building } = ordersOf(name);
      const batch = busy.has(name) ? [] : takeDue(waiting, at, publisher.batch);
      if (batch.length > 0) run(name, () => publish(publisher, batch));
      for (const entry of takeDue(building, at, mostChecks - checks)) {
        checks += 1;
        run(entryId(entry), () => check(publisher, entry).finally(() => (checks -= 1)));
      }
      if (!busy.has(name)) next.push(waiting.next());
      if (checks < mostChecks) next.push(building.next());
    }
    const soonest = Math.min(...next);
    // The clock can jump and the computer can sleep, so the timer never runs for long.
    if (soonest < Infinity)
      timer = setTimeout(look, Math.min(Math.max(0, soonest - at), longestSleepMs)).unref();
  }

  function ordersOf(publisher: PublisherName) {
    const known = orders.get(publisher);
    if (known) return known;
    const isCurrent = (entry: PublishingEntry) => entries.get(entryId(entry)) === entry;
    const made = { waiting: createDueOrder(isCurrent), building: createDueOrder(isCurrent) };
    orders.set(publisher, made);
    return made;
  }

  /** Schedules an entry for its next attempt. One in conflict waits for the owner. */
  function schedule(entry: PublishingEntry): void {
    const { waiting, building } = ordersOf(entry.publisher);
    // A clock that was wrong may have set a time that never comes. Looking too early does no harm.
    const due = Math.min(Date.parse(entry.due), now() + longestWaitMs);
    if (entry.state === 'waiting') waiting.add(entry, due);
    if (entry.state === 'building') building.add(entry, due);
  }

  for (const entry of entries.values()) schedule(entry);

  return {
    /** The entries that are not done, oldest first. */
    list: (): PublishingEntry[] => [...entries.values()],
    get: (publisher: PublisherName, key: string) => entries.get(entryId({ publisher, key })),
    /** Returns whether a publisher is working now. */
    isBusy: () => busy.size > 0,

    /** Adds a publisher. Call it before `start`. */
    connect: (publisher: Publisher) => void publishers.set(publisher.name, publisher),

    /**
     * Adds what is to be published, in place of what was waiting under the same key. Resolves once it is in the journal.
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
     * Tries again what is waiting: the entry with an id, or all of them. `replace`: overwrites the files with which it is
     * in conflict. Resolves once this is in the journal.
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

    /** Looks for what is due: at the start, after sleep, and when publishing was turned on. */
    wake: look,

    start(): void {
      isStarted = true;
      look();
    },

    /** Stops publishing. What is not done continues at the next start. */
    async stop(): Promise<void> {
      stopping.abort();
      clearTimeout(timer);
      await Promise.all(underWay);
      await save().catch((error: unknown) => log.warn({ err: error }, 'the journal could not be written'));
      await disk.close();
    },
  };
}

/** The journal's place in the data folder. */
export const publishingJournal = join('publishing', 'journal.jsonl');

/** Returns how many changes a journal that nobody has open still has to publish. */
export async function unpublishedIn(file: string): Promise<number> {
  return (await readStateJournal<PublishingEntry>(file, codec, unfinished)).entries.size;
}

/** Returns an entry after an attempt. `at`: the time in ms. */
function settled(entry: PublishingEntry, outcome: Outcome, at: number): PublishingEntry {
  const now = new Date(at).toISOString();
  const { state, failures } = entry;
  switch (outcome.kind) {
    case 'done':
      return { ...entry, state: 'done', words: '', writing: {} };
    case 'building':
      return { ...withoutLate(entry), state: 'building', stateSince: now, due: now, failures: 0, words: '' };
    case 'conflict':
      return { ...entry, state: 'conflict', stateSince: now, words: outcome.words };
    case 'later':
      return {
        ...{ ...entry, state: 'waiting', stateSince: now, failures: 0, words: outcome.words },
        due: new Date(outcome.at).toISOString(),
      };
    case 'failed': {
      const isBuilding = state === 'building';
      const count = failures + 1;
      const next = nextAttempt(isBuilding ? 'liveCheck' : 'publishing', { failures: count, now: at }) ?? at;
      const isLate = isBuilding && at - Date.parse(entry.stateSince) >= lateMs;
      const due = new Date(next).toISOString();
      return { ...entry, words: outcome.words, failures: count, due, ...(isLate && { late: true }) };
    }
  }
}

function withoutLate(entry: PublishingEntry): PublishingEntry {
  const rest = { ...entry };
  delete rest.late;
  return rest;
}

/** Returns the newest unfinished entries by id, from the lines of the journal. */
function unfinished(lines: readonly PublishingEntry[]): Map<string, PublishingEntry> {
  const entries = new Map<string, PublishingEntry>();
  for (const line of lines) {
    if (line.state === 'done') entries.delete(entryId(line));
    else entries.set(entryId(line), line);
  }
  return entries;
}

/** Returns a moment for a change at `at` (ms) that differs from that of the change before it. */
function laterThan(before: string | undefined, at: number): string {
  return new Date(before === undefined ? at : Math.max(at, Date.parse(before) + 1)).toISOString();
}

/** Adds the files that an attempt is about to write to those of earlier attempts. */
function withFiles(
  writing: PublishingEntry['writing'],
  files: Readonly<Record<string, string>>,
): PublishingEntry['writing'] {
  const added = Object.entries(files).map(([file, hash]): [string, string[]] => [
    file,
    [...new Set([...(writing[file] ?? []), hash])],
  ]);
  return { ...writing, ...Object.fromEntries(added) };
}

function takeDue(order: DueOrder, at: number, most: number): PublishingEntry[] {
  const taken: PublishingEntry[] = [];
  while (taken.length < most) {
    const entry = order.take(at);
    if (entry === undefined) break;
    taken.push(entry);
  }
  return taken;
}

const wordsOf = (error: unknown) =>
  error instanceof Error && 'words' in error && typeof error.words === 'string'
    ? error.words
    : 'Something went wrong. Porchlight will try again.';
