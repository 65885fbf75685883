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
import { createSnapshotKeeper } from './snapshot-keeper.ts';
import type { Transfers } from './transfers.ts';
import { removeUnfinishedCopy } from './unfinished-copy.ts';
import { createWeeklyKeeper } from './weekly-keeper.ts';

interface DataPartDeps extends Omit<Common, 'documents' | 'versions' | 'profile' | 'fetch' | 'allowPrivate'> {
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
  const copies = await openLastCopies({ dataDir, onRecovered: deps.onRecovered, log });
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
      takeAll: { ...takeAll, mentions, base: deps.base },
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
      const endWaking = watchWaking({ now: clock, woke: checkCopies });
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
