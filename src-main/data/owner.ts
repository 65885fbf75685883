import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Static } from 'typebox';
import type { Handlers, Result } from '../contract/contract.ts';
import { type DataCounts, LastCopy, type PathChoice } from '../contract/data.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Settings } from '../contract/settings.ts';
import { closed, orNull } from '../contract/shapes.ts';
import { folderSize } from '../platform/folder-size.ts';
import type { Log } from '../platform/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import { openDocument } from '../storage/document.ts';
import { verified } from '../storage/held-folders.ts';
import { lastCopiesName } from '../storage/kept-paths.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { RecordTable } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { secretsInRows } from '../storage/records/closed-records.ts';
import type { Recovery } from '../storage/recovery.ts';
import { makeBackup, type MadeBackup, mustLieOutside } from './backup/backup.ts';
import { prepareMove } from './backup/move.ts';
import { deleteLeftover, leftoversOf } from './backup/pending.ts';
import { type Sink, writeOut } from './backup/sink.ts';
import { cancelData, type DataDesk, waitingFor } from './data-desk.ts';
import type { TakeAllDeps } from './export.ts';
import { type BackupReader, createRestoreDesk, readSecrets } from './restore-desk.ts';
import { whileNoted } from './unfinished-copy.ts';
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

/** Where a backup or an export goes. See BackupOptions. */
interface Target {
  readonly file: string;
  readonly isNew?: boolean | undefined;
  readonly mayLieInside?: boolean;
}

interface DataDeps {
  readonly dataDir: string;
  readonly version: string;
  readonly now: () => number;
  readonly log: Log;
  readonly desk: DataDesk;
  readonly weekly: WeeklyKeeper;
  readonly copies: LastCopyNotes;
  readonly transfers: Transfers;
  readonly secrets: Secrets;
  readonly settings: () => Settings;
  readonly activity: Activity;
  readonly records: Pick<Records, 'lines' | 'documentFolders' | 'rows'>;
  /** The tables of the database. */
  readonly tables: readonly RecordTable[];
  readonly reader: BackupReader;
  readonly takeAll: Omit<TakeAllDeps, 'profile' | 'pages' | 'now'>;
  /** Returns whether the data folder contains no posts and no mentions. */
  readonly isNew: () => Promise<boolean>;
  readonly desktop: DesktopAbilities | undefined;
  /** Called after a restore or move is scheduled for the next start, or is discarded. */
  readonly changed: () => Promise<void>;
}

/** Creates the handlers for backup, restore, move and export. */
export function dataHandlers(deps: DataDeps) {
  const {
    dataDir,
    log,
    desk,
    desktop,
    copies,
    transfers,
    secrets,
    settings,
    activity,
    reader,
    now,
    changed,
  } = deps;
  const restore = createRestoreDesk({
    dataDir,
    now,
    log,
    secrets,
    settings,
    reader,
  });
  const me = () => settings().profile.me;

  /**
   * Records a backup or an export before its task ends, because the windows load the records as soon as the task ends.
   */
  const note = (kind: 'backup' | 'export', copy: Omit<NewCopy, 'madeAt'>) =>
    copies.note(kind, { ...copy, madeAt: new Date(now()).toISOString() });

  /** Makes a backup. `made`: called before the task ends. */
  const backUp = (
    { passphrase, ...target }: Target & { readonly passphrase: string | undefined },
    made?: (backup: MadeBackup) => Promise<void>,
  ): Promise<MadeBackup> =>
    desk.run(
      'backup',
      async (work) => {
        const options = {
          dataDir,
          ...target,
          version: deps.version,
          me: me(),
          now: now(),
          prove: reader.prove,
          work,
          records: deps.records,
          secrets:
            passphrase === undefined
              ? undefined
              : {
                  values: await readSecrets(secrets),
                  rows: await secretsInRows(deps.records, deps.tables),
                  passphrase,
                },
        };
        const backup = await whileNoted(dataDir, target.file, () => makeBackup(options));
        await made?.(backup);
        return backup;
      },
      ({ file }) =>
        target.mayLieInside
          ? 'The backup is ready. Porchlight has checked it.'
          : `The backup is in “${file}”. Porchlight has checked it.`,
    );

  /** Makes an export. `made`: called before the task ends. */
  const takeAway = (
    { file, mayLieInside = false }: Target,
    made?: (counts: DataCounts) => Promise<void>,
  ): Promise<{ counts: DataCounts; problems?: readonly string[] }> =>
    desk.run(
      'export',
      async (work) => {
        if (!mayLieInside) await mustLieOutside(dataDir, file);
        let counts: DataCounts = { posts: 0, files: 0, mentions: 0, bytes: 0 };
        const write = async (sink: Sink) => {
          const { takeAll } = await import('./export.ts');
          const all = {
            ...deps.takeAll,
            now,
            profile: () => settings().profile,
            pages: () => settings().site.pages,
          };
          counts = await verified(dataDir, () => takeAll(all, sink, work));
        };
        await whileNoted(dataDir, file, () => writeOut(file, work.signal, write));
        await made?.(counts);
        return { counts };
      },
      () => (mayLieInside ? 'The export is ready.' : `The export is in “${file}”.`),
    );

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
    'data.folder': folder,

    'data.backup': async ({ path, passphrase, isNew }) => {
      const { file, counts, problems } = await backUp({ file: path, passphrase, isNew }, async (made) =>
        note('backup', { path: made.file, counts: made.counts, secrets: passphrase !== undefined }),
      );
      await activity.record('data.backup', `You saved a backup: ${file}.`);
      return { path: file, counts, secrets: passphrase !== undefined, problems: [...problems] };
    },

    'data.download': async ({ what, passphrase }) => {
      const name = `porchlight-${what}-${new Date(now()).toISOString().slice(0, 10)}.zip`;
      const file = await transfers.newFile(name);
      try {
        const { counts, problems = [] } =
          what === 'backup'
            ? await backUp({ file, passphrase, mayLieInside: true })
            : await takeAway({ file, mayLieInside: true });
        const { size } = await stat(file);
        const id = transfers.offer(file, async () => {
          await note(what, { path: null, bytes: size, counts, secrets: passphrase !== undefined });
          // The windows load the note when they hear of this.
          await activity.record(
            `data.${what}`,
            `You downloaded ${what === 'backup' ? 'a backup' : 'an export'}.`,
          );
        });
        return { id, name, problems: [...problems] };
      } catch (error) {
        await transfers.remove(file);
        throw error;
      }
    },

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

    'data.export': async ({ path }) => {
      const { counts } = await takeAway({ file: path }, (made) =>
        note('export', { path, counts: made, secrets: false }),
      );
      await activity.record('data.export', `You exported everything to ${path}.`);
      return { path, counts };
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

    'data.restart': () => {
      if (desktop) desktop.restart();
      return { words: desktop ? 'Porchlight is restarting.' : 'Stop Porchlight, then start it again.' };
    },

    'desktop.choosePath': async ({ purpose, suggestion }) => {
      if (desktop === undefined) {
        throw new PorchlightError(
          'not_on_desktop',
          'Porchlight runs without a desktop here. Type the path instead.',
          409,
        );
      }
      return { path: await desktop.choosePath(purpose, suggestion) };
    },

    'desktop.showInFolder': ({ what }) =>
      showInFolder(what === 'data' ? dataDir : copies.last[what]?.path, desktop),
  } satisfies Partial<Handlers>;
}

function fixedWords(desktop: DesktopAbilities | undefined): string | null {
  if (desktop === undefined)
    return 'The --data option sets this folder. Stop Porchlight, move the folder, and start with the new path.';
  if (desktop.placeFile !== undefined) return null;
  return 'The --data option sets this folder, so you can’t move it here.';
}

const LastCopies = closed({ backup: orNull(LastCopy), export: orNull(LastCopy) });
type LastCopies = Static<typeof LastCopies>;

/** A copy that was just made. `bytes`: its size, if there is no file at `path` any more. */
type NewCopy = Omit<LastCopy, 'bytes'> & { readonly bytes?: number };

type LastCopyNotes = Awaited<ReturnType<typeof openLastCopies>>;

export const lastCopiesFormat = {
  schema: LastCopies,
  kind: 'note' as const,
  format: 1,
  initial: { backup: null, export: null },
};

/**
 * Opens the record of the newest backup and the newest export, so that the owner can find them again.
 * @throws the same errors as `openDocument`.
 */
export async function openLastCopies({
  dataDir,
  onRecovered,
  log,
}: {
  dataDir: string;
  onRecovered: (recovery: Recovery) => void | Promise<void>;
  log: Log;
}) {
  const document = await openDocument({
    file: join(dataDir, lastCopiesName),
    ...lastCopiesFormat,
    onRecovered,
  });
  return {
    get last(): Readonly<LastCopies> {
      return document.data;
    },
    /**
     * Records a new backup or export. If recording fails, only logs the error, because the backup or export itself
     * succeeded.
     */
    async note(kind: keyof LastCopies, copy: NewCopy): Promise<void> {
      try {
        const written = copy.path === null ? undefined : await stat(copy.path);
        const bytes = copy.bytes ?? (written?.isFile() === true ? written.size : copy.counts.bytes);
        await document.update((copies) => void (copies[kind] = { ...copy, bytes }));
      } catch (error) {
        log.warn({ err: error }, 'the note about a copy was not saved');
      }
    },
  };
}

/**
 * Shows a file or folder in the file manager.
 * @throws PorchlightError `not_on_desktop` (409) in headless mode, `not_found` (404) if there is nothing at `path`.
 */
async function showInFolder(
  path: string | null | undefined,
  desktop: { showInFolder(path: string): void } | undefined,
): Promise<Record<string, never>> {
  if (desktop === undefined)
    throw new PorchlightError(
      'not_on_desktop',
      'Porchlight runs without a desktop. Copy the path instead.',
      409,
    );
  if (path === undefined || path === null || !(await stat(path).then(Boolean, () => false)))
    throw new PorchlightError(
      'not_found',
      'The file is no longer there. It was moved or deleted, or its disk isn’t connected.',
      404,
    );
  desktop.showInFolder(path);
  return {};
}
