import type { Static, TSchema } from 'typebox';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDiskFailure } from '../storage-error.ts';
import { KindQueue, longestSleepMs, entriesAtOnce } from './kind-queue.ts';
import type { WorkOptions } from './outcomes.ts';
import type { DefinedWork, WorkEntry, WorkKind } from './work-kind.ts';

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

/**
 * Opens the queue of work. All entries are known in memory without their payloads, so that they can take turns fairly.
 * The table in the database is the truth.
 */
export async function openWork(options: WorkOptions): Promise<WorkQueue> {
  const { records, log } = options;
  const kinds = new Map<string, Pick<KindQueue<TSchema>, 'load' | 'startDue' | 'wake' | 'stop'>>();
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
            seq: Number(seq),
            key: String(key),
            party: String(party),
            host: String(host),
            due: Number(due),
            tries: Number(tries),
            early: Number(early),
            state: String(state),
          },
        }),
        `SELECT seq, kind, key, party, host, due, tries, early, state FROM work WHERE seq > ? ORDER BY seq LIMIT ${entriesAtOnce}`,
        last,
      );
      for (const { kind, entry } of rows) {
        const known = stored.get(kind);
        if (known) known.push(entry);
        else stored.set(kind, [entry]);
      }
      last = rows.at(-1)?.entry.seq ?? last;
      if (rows.length < entriesAtOnce) return;
      await nextTurn();
    }
  }

  function readOrNothing(): Promise<void> {
    // A disk that can't be read must not prevent a start. Its entries are read as soon as it can be.
    return records.whenSound(read).catch((error: unknown) => {
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

  function startDue(): void {
    clearTimeout(timer);
    if (!isStarted || stopping.signal.aborted) return;
    if (openings !== records.openings)
      reading ??= readAgain()
        .catch((error: unknown) => log.warn({ err: error }, 'the work that waits can’t be read'))
        .finally(() => {
          reading = undefined;
        });
    for (const kind of kinds.values()) kind.startDue();
    timer = setTimeout(startDue, longestSleepMs).unref();
  }

  await readOrNothing();
  return {
    defineWork(kind) {
      if (kinds.has(kind.kind)) throw new TypeError(`The work "${kind.kind}" is declared twice.`);
      const one = new KindQueue(kind, { ...options, signal: stopping.signal, isStarted: () => isStarted });
      kinds.set(kind.kind, one);
      one.load(stored.get(kind.kind) ?? []);
      stored.delete(kind.kind);
      return one;
    },
    start() {
      isStarted = true;
      startDue();
    },
    wake() {
      for (const kind of kinds.values()) kind.wake();
      startDue();
    },
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await reading;
      await Promise.all(Array.from(kinds.values(), (kind) => kind.stop()));
    },
  };
}
