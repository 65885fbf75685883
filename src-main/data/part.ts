import type { Settings } from '../contract/settings.ts';
import type { Problem } from '../contract/status.ts';
import type { Common } from '../http/common.ts';
import type { MentionStore } from '../mentions/mention-store.ts';
import { watchWaking } from '../platform/clock.ts';
import type { RecordTable } from '../storage/records/record-table.ts';
import { sweepLeftovers } from './backup/pending.ts';
import { createDataDesk, waitingFor } from './data-desk.ts';
import type { TakeAllDeps } from './export.ts';
import { openLastCopies } from './last-copies.ts';
import { dataHandlers, type DesktopAbilities } from './owner.ts';
import type { BackupReader } from './restore-desk.ts';
import type { Transfers } from './transfers.ts';
import { removeUnfinishedCopy } from './unfinished-copy.ts';
import { createWeeklyKeeper } from './weekly-keeper.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Log } from '../platform/log.ts';
import type { Records } from '../storage/records/records.ts';
import { snapshotTime } from '../storage/records/snapshots.ts';

interface DataPartDeps extends Omit<Common, 'versions' | 'profile' | 'fetch' | 'allowPrivate'> {
  readonly settings: () => Settings;
  /** What an export contains. */
  readonly takeAll: Pick<TakeAllDeps, 'posts' | 'media' | 'shown' | 'makeContent'>;
  readonly mentions: Pick<MentionStore, 'all' | 'list'>;
  /** The tables of the database. */
  readonly tables: readonly RecordTable[];
  /** Reads backups, on another thread. */
  readonly reader: BackupReader & { close(): Promise<void> };
  readonly desktop: DesktopAbilities | undefined;
  readonly transfers: Transfers;
}

/** How often to look whether copies are due, in ms. */
const checkMs = 600_000;
/** The states of an import that has ended. */
const endStates = new Set(['done', 'cancelled', 'failed']);

/** Opens the part of the service that backs up, restores, exports and moves the data. */
export async function openData(deps: DataPartDeps) {
  const { dataDir, version, log, clock, hub, activity, settings, desktop, changed, records, reader } = deps;
  const { mentions, takeAll } = deps;
  const desk = createDataDesk({ hub, now: clock });
  const copies = await openLastCopies(deps.documents, log);
  const weekly = createWeeklyKeeper({
    dataDir,
    version,
    now: clock,
    desk,
    settings,
    activity,
    records,
    prove: reader.prove,
    changed,
    made: (copy) => copies.note('backup', copy),
  });
  const snapshots = createSnapshotKeeper({ dataDir, records, now: clock, log, changed });
  let waiting: Problem | undefined;
  let isStopped = false;

  async function checkPending(): Promise<void> {
    const found = await waitingFor(dataDir, desktop?.placeFile);
    waiting = found ? { code: 'restart_needed', message: `${found.words} Restart Porchlight.` } : undefined;
    changed();
  }

  /** Makes a copy of the database and the weekly backup if they are due. Then removes what is no longer needed. */
  const makeDueCopies = async (): Promise<void> => {
    await snapshots.makeIfDue();
    if (!isStopped) await weekly.makeIfDue();
    if (!isStopped) await activity.prune(clock());
    if (!isStopped) await records.shrink();
  };
  const checkCopies = (): void => deps.background(makeDueCopies());
  let unwatch: () => void = () => undefined;

  return {
    handlers: dataHandlers({
      ...deps,
      now: clock,
      desk,
      weekly,
      copies,
      takeAll: {
        ...takeAll,
        mentions,
        base: deps.base,
        now: clock,
        profile: () => settings().profile,
        pages: () => settings().site.pages,
      },
      isNew: async () =>
        (await takeAll.posts.list({ limit: 1, isBegun: true })).items.length === 0 &&
        (await mentions.list({ limit: 1 })).items.length === 0,
      changed: checkPending,
    }),

    problems: (): Problem[] =>
      [snapshots.problem, weekly.problem, waiting].filter((problem) => problem !== undefined),

    checkCopies,

    async start(): Promise<void> {
      await sweepLeftovers(dataDir);
      await removeUnfinishedCopy(dataDir);
      if (isStopped) return;
      const timer = setInterval(checkCopies, checkMs).unref();
      const endWaking = watchWaking(clock, checkCopies);
      const endImports = hub.subscribe(({ name, data }) => {
        if (name !== 'import.progress' && name !== 'posts.importProgress') return;
        if (!endStates.has(data.state)) return;
        snapshots.imported();
        checkCopies();
      });
      unwatch = () => {
        clearInterval(timer);
        endWaking();
        endImports();
      };
      await checkPending();
      await makeDueCopies();
    },

    async stop(): Promise<void> {
      isStopped = true;
      unwatch();
      await desk.close();
      await reader.close();
    },
  };
}

interface SnapshotKeeperDeps {
  readonly dataDir: string;
  readonly records: Pick<Records, 'snapshot' | 'changes'>;
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
  /** Called when `problem` has changed. */
  readonly changed: () => void;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** After how many changed rows a copy is made before its day is over; fewer after an import. */
const [mostChanges, mostImported] = [2000, 20];

/**
 * Creates the part that copies the database beside it in the data folder, if something has changed: once a day, and at
 * most once an hour after an import and after many changes.
 */
export function createSnapshotKeeper({ dataDir, records, now, log, changed }: SnapshotKeeperDeps) {
  let problem: Problem | undefined;
  let wasImported = false;
  /** How many rows had been changed when the last copy was begun. */
  let copied = 0;

  async function isDue(): Promise<boolean> {
    const last = await snapshotTime(dataDir);
    if (last === undefined) return true;
    // A copy from the future says that the clock was wrong.
    const age = Math.abs(now() - last);
    const isMuch = records.changes - copied >= (wasImported ? mostImported : mostChanges);
    return age >= (isMuch ? hourMs : dayMs);
  }

  async function attempt(): Promise<Problem | undefined> {
    try {
      if (await isDue()) {
        const { changes } = records;
        await records.snapshot();
        [copied, wasImported] = [changes, false];
      }
      return undefined;
    } catch (error) {
      log.warn({ err: error }, 'the database could not be copied');
      // The status reports these already.
      if (error instanceof PorchlightError && reported.has(error.code)) return problem;
      return { code: 'snapshot_failed', message: wordsFor(error) };
    }
  }

  return {
    /** Why there is no copy of today; undefined if nothing failed. */
    get problem(): Problem | undefined {
      return problem;
    },
    /** Notes that an import has ended. */
    imported: (): void => void (wasImported = true),
    /** Makes a copy if one is due. Never fails: an error becomes `problem`. */
    async makeIfDue(): Promise<void> {
      const found = await attempt();
      if (found?.message === problem?.message) return;
      problem = found;
      changed();
    },
  };
}

const reported = new Set(['storage_gone', 'storage_damaged']);

function wordsFor(error: unknown): string {
  const isFull = error instanceof PorchlightError && error.code === 'storage_full';
  const reason = error instanceof PorchlightError ? error.message : `(${String(error)})`;
  const why = isFull ? 'The disk has too little room for it. Free some space.' : reason;
  return `Porchlight couldn’t copy its database. It repairs damage from that copy. ${why}`;
}
