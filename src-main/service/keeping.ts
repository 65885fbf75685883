import type { DesktopAbilities } from '../owner/data.ts';
import { restoreLabel } from '../contract/restore-labels.ts';
import type { Problem } from '../contract/status.ts';
import type { Settings } from '../contract/settings.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { PostStore } from '../micropub/post-store.ts';
import type { Activity } from '../owner/activity.ts';
import { createDataDesk } from '../owner/data-desk.ts';
import { waitingFor } from '../owner/data-waiting.ts';
import { dataHandlers } from '../owner/data.ts';
import type { EventHub } from '../owner/event-hub.ts';
import { keepTrust } from '../owner/restore/kept-trust.ts';
import { forgetRestored, takeRestored } from '../owner/restore/restored-secrets.ts';
import { createWeeklyKeeper } from '../owner/weekly-keeper.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Pictures } from '../platform/pictures.ts';
import type { Secrets } from '../platform/secrets.ts';
import { watchWaking } from '../platform/waking.ts';
import { proveFolder } from './prove-folder.ts';
import { openLastCopies } from '../owner/last-copies.ts';
import type { MediaReader } from '../site/reader.ts';
import { sweepLeftovers } from '../storage/backup/leftovers.ts';
import { finishPending, takePending, type RestoreResult } from '../storage/backup/pending.ts';
import { sweepWorkFolders } from '../storage/backup/snapshot.ts';
import type { Recovery } from '../storage/recovery.ts';
import type { MentionStore } from '../mentions/mention-store.ts';

export interface KeepingDeps {
  readonly dataDir: string;
  readonly version: string;
  readonly onRecovered: (recovery: Recovery) => void;
  readonly log: Log;
  readonly clock: Clock;
  readonly hub: EventHub;
  readonly activity: Activity;
  readonly base: () => string;
  readonly settings: () => Settings;
  readonly pictures: Pictures;
  readonly secrets: Secrets;
  readonly posts: PostStore;
  readonly media: MediaStore;
  readonly shown: MediaReader['shown'];
  readonly mentions: MentionStore;
  readonly desktop: DesktopAbilities | undefined;
  readonly tell: Background;
  /** Called when a problem appears or goes away. */
  readonly changed: () => void;
}

/** The part of the service that backs up, restores, exports and moves the data. */
export interface Keeping {
  readonly handlers: ReturnType<typeof dataHandlers>;
  problems(): readonly Problem[];
  /** Makes the weekly backup if it is due. */
  look(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const hourMs = 3_600_000;

/** Wires backup, restore, the weekly backup, moving the data folder and export. */
export async function openKeeping(deps: KeepingDeps): Promise<Keeping> {
  const { dataDir, version, log, clock, hub, activity, settings, desktop, changed } = deps;
  const desk = createDataDesk({ hub, now: clock });
  const prove = (dir: string, signal: AbortSignal) =>
    proveFolder(dir, { pictures: deps.pictures, now: clock, log, signal });
  const copies = await openLastCopies({ dataDir, onRecovered: deps.onRecovered, log });
  const weekly = createWeeklyKeeper({
    ...{ dataDir, version, now: clock, desk, settings, activity, prove, changed },
    made: (copy) => copies.note('backup', copy),
  });
  let waiting: Problem | undefined;

  async function lookWhatWaits(): Promise<void> {
    const found = await waitingFor(dataDir, desktop?.placeFile);
    waiting = found ? { code: 'restart_needed', message: `${found.words} Restart Porchlight.` } : undefined;
    changed();
  }

  const look = (): void => deps.tell(weekly.look());
  let unwatch: () => void = () => undefined;
  let isStopped = false;

  return {
    handlers: dataHandlers({
      ...{ dataDir, version, log, now: clock, desk, weekly, copies, settings, activity, prove, desktop },
      secrets: deps.secrets,
      takeAll: {
        ...{ posts: deps.posts, media: deps.media, shown: deps.shown, mentions: deps.mentions },
        base: deps.base,
      },
      isNew: async () =>
        (await deps.posts.list({ limit: 1 })).items.length === 0 &&
        (await deps.mentions.list({ limit: 1 })).items.length === 0,
      changed: lookWhatWaits,
    }),

    problems: () => [weekly.problem, waiting].filter((problem) => problem !== undefined),

    look,

    async start() {
      await sweepWorkFolders(dataDir);
      await sweepLeftovers(dataDir);
      if (isStopped) return;
      const timer = setInterval(look, hourMs).unref();
      const endWaking = watchWaking({ now: clock, woke: look });
      unwatch = () => {
        clearInterval(timer);
        endWaking();
      };
      await lookWhatWaits();
      await weekly.look();
    },

    async stop() {
      isStopped = true;
      unwatch();
      await desk.close();
    },
  };
}

/**
 * Moves a pending restore into place. Runs at startup, before anything is opened. `recovered`: the list to which a
 * recovery is added for each of this computer's own settings files that was broken.
 * @throws PorchlightError `restore_stuck`
 */
export function takeRestore(dataDir: string, recovered: Recovery[]): Promise<RestoreResult | undefined> {
  return takePending(dataDir, (pending) =>
    keepTrust(dataDir, pending, (recovery) => void recovered.push(recovery)),
  );
}

/**
 * Runs at the startup that follows a restore: moves the restored secrets into place, or discards them if the restore
 * was lost, and then deletes the note of the pending restore.
 */
export async function finishRestore(dataDir: string, taken: RestoreResult, secrets: Secrets): Promise<void> {
  if (taken.outcome === 'lost') await forgetRestored(secrets);
  else await takeRestored(secrets, taken.pending.secrets);
  await finishPending(dataDir);
}

/** Returns the owner's message about a completed restore. */
export function restoredWords({ madeAt, kept, accept }: RestoreResult['pending']): string {
  const accepted =
    accept.length === 0 ? '' : ` You also took from it: ${accept.map(restoreLabel).join('; ')}.`;
  return `Restored: the backup from ${madeAt.slice(0, 10)}.${accepted} Your data from before is in “${kept}”.`;
}

/** Returns the problem of a restore that failed; empty if no restore was pending or it succeeded. */
export function restoreProblems(taken: RestoreResult | undefined): Problem[] {
  if (taken?.outcome !== 'lost') return [];
  const { madeAt, staged } = taken.pending;
  const message = `The backup from ${madeAt.slice(0, 10)} could not be restored, because “${staged}” is gone. Your data is unchanged. Restore the backup again.`;
  return [{ code: 'restore_lost', message }];
}
