import { restoreLabel } from '../contract/restore-settings.ts';
import type { Problem } from '../contract/status.ts';
import type { Settings } from '../contract/settings.ts';
import { createDataDesk, waitingFor } from '../data/data-desk.ts';
import { dataHandlers, type DesktopAbilities, openLastCopies } from '../data/owner.ts';
import type { NewsItem } from './news.ts';
import { createSnapshotKeeper } from '../data/snapshot-keeper.ts';
import { restoredKeys } from '../mailbox/keys.ts';
import { keepTrust } from './restoring.ts';
import { forgetRestored, takeRestored } from '../data/restore-desk.ts';
import type { Transfers } from '../data/transfers.ts';
import { removeUnfinishedCopy } from '../data/unfinished-copy.ts';
import { createWeeklyKeeper } from '../data/weekly-keeper.ts';
import type { Secrets } from '../platform/secrets.ts';
import { watchWaking } from '../platform/clock.ts';
import type { Common } from '../http/common.ts';
import { openBackupReading } from './backup-reading.ts';
import type { Publishing } from './publishing.ts';
import { recordTables } from './tables.ts';
import { finishPending, type RestoreResult, sweepLeftovers, takePending } from '../data/backup/pending.ts';
import { keepKnown, replaceRows } from '../storage/records/closed-records.ts';
import type { ShowContent } from '../posts/rendering/contents.ts';
import type { Recovery } from '../storage/recovery.ts';
import type { MentionStore } from '../mentions/mention-store.ts';

interface KeepingDeps extends Omit<Common, 'documents' | 'versions' | 'profile' | 'fetch' | 'allowPrivate'> {
  readonly settings: () => Settings;
  readonly publishing: Pick<Publishing, 'posts' | 'media' | 'shown'>;
  readonly mentions: MentionStore;
  readonly makeContent: ShowContent;
  readonly desktop: DesktopAbilities | undefined;
  readonly transfers: Transfers;
}

/** How often to look whether copies are due, in ms. */
const checkMs = 600_000;
/** The states of an import that has ended. */
const endStates = new Set(['done', 'cancelled', 'failed']);

/** Opens the part of the service that backs up, restores, exports and moves the data. */
export async function openKeeping(deps: KeepingDeps) {
  const { dataDir, version, log, clock, hub, activity, settings, desktop, changed, secrets, base } = deps;
  const { mentions, records } = deps;
  const { posts, media, shown } = deps.publishing;
  const desk = createDataDesk({ hub, now: clock });
  const reader = openBackupReading({ clock, log });
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
      dataDir,
      version,
      log,
      now: clock,
      desk,
      weekly,
      copies,
      transfers: deps.transfers,
      settings,
      activity,
      records,
      tables: recordTables,
      reader,
      desktop,
      secrets,
      takeAll: { posts, media, shown, makeContent: deps.makeContent, mentions, base },
      isNew: async () =>
        (await posts.list({ limit: 1, isBegun: true })).items.length === 0 &&
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

/**
 * Replaces the data with a pending restore's data. Runs at startup, before anything is opened. `recovered`: receives an
 * entry for each settings file of this computer that was damaged.
 * @throws PorchlightError `restore_stuck`
 */
export function takeRestore(dataDir: string, recovered: Recovery[]): Promise<RestoreResult | undefined> {
  return takePending(dataDir, async (pending) => {
    await keepTrust(dataDir, pending, (recovery) => void recovered.push(recovery));
    const ownTables = recordTables.filter(({ belongsHere }) => belongsHere === true);
    await replaceRows(dataDir, pending.staged, ownTables);
    await keepKnown(dataDir, pending.staged);
  });
}

/**
 * Finishes a restore at startup. Puts the restored secrets into use, or discards them if the restore failed. Then
 * deletes the record of the pending restore.
 */
export async function finishRestore(dataDir: string, taken: RestoreResult, secrets: Secrets): Promise<void> {
  if (taken.outcome === 'lost') await forgetRestored(secrets);
  else await takeRestored(secrets, taken.pending.secrets, restoredKeys);
  await finishPending(dataDir);
}

const countOf = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
const dayWords = (moment: string) =>
  new Date(moment).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

/** Returns the message for the owner about a completed restore. */
export function restoredWords({ madeAt, counts, kept, accept }: RestoreResult['pending']): string {
  const what = counts
    ? `${countOf(counts.posts, 'post')}, ${countOf(counts.files, 'file')} and ${countOf(counts.mentions, 'mention')}`
    : 'the backup';
  return `Restored: ${what} from ${dayWords(madeAt)}.${acceptedWords(accept)} Your data from before is in “${kept}”.`;
}

const mostNamed = 5;

function acceptedWords(accept: readonly string[]): string {
  if (accept.length === 0) return '';
  if (accept.length > mostNamed) return ` You also took ${accept.length} settings from it.`;
  return ` You also took from it: ${accept.map(restoreLabel).join('; ')}.`;
}

/** Returns the news of a failed restore. Returns an empty list if no restore was pending, or if it succeeded. */
export function restoreNews(taken: RestoreResult | undefined): NewsItem[] {
  if (taken?.outcome !== 'lost') return [];
  const { madeAt, staged } = taken.pending;
  const message = `The backup from ${madeAt.slice(0, 10)} could not be restored, because “${staged}” is gone. Your data is unchanged. Restore the backup again.`;
  return [{ code: 'restore_lost', message, holds: false }];
}
