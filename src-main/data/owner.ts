import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Handlers, Result } from '../contract/contract.ts';
import type { PathChoice } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import { folderSize } from '../platform/folder-size.ts';
import type { Log } from '../platform/log.ts';
import type { Activity } from '../storage/records/activity.ts';
import { prepareMove } from './backup/move.ts';
import { deleteLeftover, leftoversOf } from './backup/pending.ts';
import { cancelData, waitingFor } from './data-desk.ts';
import type { LastCopyNotes } from './last-copies.ts';
import { copiesHandlers, type CopiesDeps } from './making-copies.ts';
import { type BackupReader, createRestoreDesk } from './restore-desk.ts';
import type { Transfers } from './transfers.ts';
import type { WeeklyKeeper } from './weekly-keeper.ts';

/** The functions that only the desktop app has. */
export interface DesktopAbilities {
  /** Asks for a path in a system dialog. Returns null if the owner cancels. */
  choosePath(purpose: PathChoice, suggestion: string | undefined): Promise<string | null>;
  /** Opens the file manager with the file or folder at `path` selected. */
  showInFolder(path: string): void;
  /** Quits Porchlight and starts it again. */
  restart(): void;
  /** The file that stores the path of the data folder; absent if the --data option sets the path. */
  readonly placeFile?: string | undefined;
}

interface DataDeps extends CopiesDeps {
  readonly log: Log;
  readonly weekly: WeeklyKeeper;
  readonly copies: LastCopyNotes;
  readonly transfers: Transfers;
  readonly reader: BackupReader;
  /** Returns whether the data folder contains no posts and no mentions. */
  readonly isNew: () => Promise<boolean>;
  readonly desktop: DesktopAbilities | undefined;
  /** Called after a restore or move is scheduled for the next start, or is discarded. */
  readonly changed: () => Promise<void>;
}

/** Creates the handlers for backup, restore, move and export. */
export function dataHandlers(deps: DataDeps) {
  const { dataDir, log, desk, desktop, copies, transfers, secrets, activity, now, changed } = deps;
  const restore = createRestoreDesk(deps);
  async function folder(): Promise<Result<'data.folder'>> {
    return {
      folder: dataDir,
      fixed: fixedWords(desktop),
      isNew: await deps.isNew(),
      lastBackup: copies.last.backup,
      lastExport: copies.last.export,
      lastWeekly: await deps.weekly.last(),
      weeklyProblem: deps.weekly.problem?.message ?? null,
      progress: desk.progress,
      checked: restore.checked,
      waiting: await waitingFor(dataDir, desktop?.placeFile),
    };
  }

  /**
   * Throws `restart_needed` (409) if a restore or a move is pending, because Porchlight can run only one of them per
   * start.
   */
  async function nothingWaits(): Promise<void> {
    const waiting = await waitingFor(dataDir, desktop?.placeFile);
    if (waiting)
      throw new PorchlightError(
        'restart_needed',
        `${waiting.words} Restart Porchlight first, or cancel.`,
        409,
      );
  }

  return {
    ...copiesHandlers(deps),
    ...desktopHandlers(dataDir, copies, desktop),
    ...leftoverHandlers(dataDir, activity),

    'data.folder': folder,

    'data.restore': ({ path, passphrase }) =>
      transfers.using(path, () =>
        desk.run(
          'restore',
          async (work) => {
            await nothingWaits();
            return restore.check(path, passphrase, work);
          },
          () => 'The backup is in order. Porchlight has restored nothing yet.',
        ),
      ),

    'data.applyRestore': async ({ accept = [] }) => {
      await desk.run(
        'restore',
        () => restore.arm(accept),
        () => 'The restore is ready. It happens when Porchlight restarts.',
      );
      // The windows show the pending restore itself, so they don't need the outcome of preparing it.
      desk.forget('restore');
      await changed();
      return folder();
    },

    'data.move': async ({ path }) => {
      const placeFile = desktop?.placeFile;
      if (placeFile === undefined) throw new PorchlightError('folder_fixed', fixedWords(desktop) ?? '', 409);
      const target = await desk.run(
        'move',
        async (work) => {
          await nothingWaits();
          return prepareMove({ dataDir, target: path, placeFile, now: now(), records: deps.records, work });
        },
        (to) => `Porchlight copied your data to “${to}”. It uses the copy after a restart.`,
      );
      await changed();
      return { folder: target };
    },

    'data.cancel': async (params) => {
      await cancelData({ dataDir, placeFile: desktop?.placeFile, desk, restore, secrets, log }, params);
      await changed();
      return folder();
    },
  } satisfies Partial<Handlers>;
}

/** Creates the handlers for the data that restores have replaced. */
function leftoverHandlers(dataDir: string, activity: Activity) {
  return {
    'data.leftovers': async () => {
      const beside = dirname(resolve(dataDir));
      const leftovers = await leftoversOf(dataDir);
      return Promise.all(
        leftovers.map(async (leftover) => {
          const path = join(beside, leftover.name);
          return { ...leftover, path, bytes: (await folderSize(path)).bytes };
        }),
      );
    },

    'data.deleteLeftover': async ({ name }) => {
      await deleteLeftover(dataDir, name);
      await activity.record('data.deleted', `You deleted the data from before a restore: ${name}.`);
      return {};
    },
  } satisfies Partial<Handlers>;
}

/** Creates the handlers for what only the desktop app can do. */
function desktopHandlers(
  dataDir: string,
  copies: Pick<LastCopyNotes, 'last'>,
  desktop: DesktopAbilities | undefined,
) {
  /** Returns the desktop. `words`: what to do without one, for the error. */
  const onDesktop = (words: string): DesktopAbilities => {
    if (desktop !== undefined) return desktop;
    throw new PorchlightError('not_on_desktop', words, 409);
  };
  return {
    'data.restart': () => {
      if (desktop) desktop.restart();
      return { words: desktop ? 'Porchlight is restarting.' : 'Stop Porchlight, then start it again.' };
    },

    'desktop.choosePath': async ({ purpose, suggestion }) => {
      const here = onDesktop('Porchlight runs without a desktop here. Type the path instead.');
      return { path: await here.choosePath(purpose, suggestion) };
    },

    'desktop.showInFolder': async ({ what }) => {
      const here = onDesktop('Porchlight runs without a desktop. Copy the path instead.');
      const path = what === 'data' ? dataDir : copies.last[what]?.path;
      if (!path || !(await stat(path).then(Boolean, () => false)))
        throw new PorchlightError(
          'not_found',
          'The file is no longer there. It was moved or deleted, or its disk isn’t connected.',
          404,
        );
      here.showInFolder(path);
      return {};
    },
  } satisfies Partial<Handlers>;
}

function fixedWords(desktop: DesktopAbilities | undefined): string | null {
  if (desktop === undefined)
    return 'The --data option sets this folder. Stop Porchlight, move the folder, and start with the new path.';
  if (desktop.placeFile !== undefined) return null;
  return 'The --data option sets this folder, so you can’t move it here.';
}
