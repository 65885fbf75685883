import { Type, type Static } from 'typebox';
import { choice, closed, DiskPath, Maybe, method, Moment, Nothing, orNull } from './shapes.ts';

/** The passphrase that protects the secrets in a backup. Nobody can read the secrets without it. */
const Passphrase = Type.String({ minLength: 10, maxLength: 1000 });

export const DataTask = choice('backup', 'weekly', 'restore', 'export', 'move');
export type DataTask = Static<typeof DataTask>;

/** The progress of a long-running data task, such as a backup. */
export const DataProgress = closed({
  task: DataTask,
  state: choice('running', 'done', 'failed', 'cancelled'),
  /**
   * The number of bytes processed so far. `total`: the number of bytes to process, or 0 while unknown. Once the task is
   * done, `done` and `total` are both 1, regardless of the size.
   */
  done: Type.Number(),
  total: Type.Number(),
  words: Type.String(),
});
export type DataProgress = Static<typeof DataProgress>;

/** The number of items of each kind in a backup or an export. */
export const DataCounts = closed({
  posts: Type.Integer(),
  files: Type.Integer(),
  mentions: Type.Integer(),
  bytes: Type.Number(),
});
export type DataCounts = Static<typeof DataCounts>;

/** Describes the newest backup or export. Its file may no longer exist. */
export const LastCopy = closed({
  /** Null if the owner's browser downloaded it. */
  path: Maybe(4096),
  madeAt: Moment,
  /** The size of the file, in bytes. For an export to a folder: the total size of its media files. */
  bytes: Type.Number(),
  counts: DataCounts,
  /** Whether the secrets are included, encrypted with a passphrase. */
  secrets: Type.Boolean(),
});
export type LastCopy = Static<typeof LastCopy>;

const Backup = closed({
  path: Type.String(),
  counts: DataCounts,
  /** Whether the backup includes the secrets, encrypted with the passphrase. */
  secrets: Type.Boolean(),
  /** The problems found in the data. The backup contains the affected data unchanged. */
  problems: Type.Array(Type.String()),
});

/** A task that Porchlight runs when it next starts. */
const Waiting = closed({
  task: choice('restore', 'move'),
  /** For a restore: the owner's profile URL (`me`) in the backup, and when the backup was made. */
  me: Maybe(),
  madeAt: orNull(Moment),
  /** For a move: the new data folder. */
  folder: Maybe(4096),
  words: Type.String(),
});

/**
 * A setting's value on this computer or in the backup, for display. In a list, the entries that are missing from the
 * other value come first. Long lists are truncated.
 */
const ChangeValue = Type.Union([
  Type.Null(),
  Type.Boolean(),
  Type.Number(),
  Type.String(),
  Type.Array(Type.String()),
]);
export type ChangeValue = Static<typeof ChangeValue>;

/** A change that a restore would make. `setting`: the setting's stable name, such as `signIn.allowWithoutPkce`. */
export const RestoreChange = closed({
  setting: Type.String(),
  /** The values of the setting: `here` on this computer, `there` in the backup. */
  here: ChangeValue,
  there: ChangeValue,
});
export type RestoreChange = Static<typeof RestoreChange>;

/** A backup that was checked and unpacked. Nothing is restored until the owner confirms. */
const CheckedBackup = closed({
  me: Maybe(),
  madeAt: Moment,
  counts: DataCounts,
  /** Whether the passphrase decrypted the backup's secrets. */
  secrets: Type.Boolean(),
  problems: Type.Array(Type.String()),
  /**
   * The changes that a restore would make. This computer keeps its current value for each change that the owner doesn't
   * accept.
   */
  changes: Type.Array(RestoreChange),
});
export type CheckedBackup = Static<typeof CheckedBackup>;

const Folder = closed({
  folder: Type.String(),
  /** The reason why the data folder can't be moved from the window, as text for the owner; null if it can be moved. */
  fixed: Maybe(),
  /** Whether the data folder has no posts and no mentions yet. If so, the owner may want to restore a backup. */
  isNew: Type.Boolean(),
  /** The newest backup (manual or weekly), and the newest export. */
  lastBackup: orNull(LastCopy),
  lastExport: orNull(LastCopy),
  /** When the newest weekly backup was made. */
  lastWeekly: orNull(Moment),
  /** The reason why the last weekly backup failed, or why older backups could not be deleted, as text for the owner. */
  weeklyProblem: Maybe(4096),
  progress: orNull(DataProgress),
  /** The checked backup that the owner has neither restored nor discarded. */
  checked: orNull(CheckedBackup),
  waiting: orNull(Waiting),
});

const Choice = choice(
  'saveBackup',
  'openBackup',
  'saveExport',
  'saveMentions',
  'weeklyFolder',
  'newFolder',
  'importFile',
  'importFolder',
  'siteFolder',
);
export type PathChoice = Static<typeof Choice>;

/**
 * The files and folders that the window can show in the file manager. The window sends one of these names, never a
 * path.
 */
const ShownFolder = choice('backup', 'export', 'data');
export type ShownFolder = Static<typeof ShownFolder>;

/** A folder with the data that a restore replaced. `bytes`: the total size of the folder's files. */
const Leftover = closed({
  name: Type.String(),
  path: Type.String(),
  replacedAt: Moment,
  bytes: Type.Integer({ minimum: 0 }),
});
export type Leftover = Static<typeof Leftover>;

const Accepted = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200 });

const Cancelled = choice('work', 'waiting');

/** The maximum size of an archive or a backup that the owner's browser uploads, in bytes. */
export const archiveUploadBytes = 4_000_000_000;

export const dataMethods = {
  /**
   * Writes all data to one backup file, then reads the file back to verify it. An earlier zip with this name is replaced.
   * @throws file_exists (409) if the file isn't a zip, or if `isNew` is true and the file exists.
   */
  'data.backup': method(
    closed({ path: DiskPath, passphrase: Type.Optional(Passphrase), isNew: Type.Optional(Type.Boolean()) }),
    Backup,
  ),
  /** Checks and unpacks a backup, and returns the changes that restoring it would make. Restores nothing. */
  'data.restore': method(closed({ path: DiskPath, passphrase: Type.Optional(Passphrase) }), CheckedBackup),
  /**
   * Schedules the checked backup to be restored at the next start. `accept`: the settings to take from the backup. All
   * other settings in `changes` keep the values that they have on this computer when the restore runs.
   */
  'data.applyRestore': method(closed({ accept: Type.Optional(Accepted) }), Folder),
  /** Exports all data to a .zip file or a folder from which Hugo, Jekyll and Eleventy can build a site. */
  'data.export': method(closed({ path: DiskPath }), closed({ path: Type.String(), counts: DataCounts })),
  /**
   * Makes a backup or an export for the owner's browser, which downloads it with the `id` from the console's
   * `GET /api/download/<id>`: once, within a minute. The file is removed afterwards.
   */
  'data.download': method(
    closed({ what: choice('backup', 'export'), passphrase: Type.Optional(Passphrase) }),
    closed({ id: Type.String(), name: Type.String(), problems: Type.Array(Type.String()) }),
  ),
  'data.folder': method(Nothing, Folder),
  /** Copies the data to another folder. Porchlight uses that folder after its next start. Desktop only. */
  'data.move': method(closed({ path: DiskPath }), closed({ folder: Type.String() })),
  /**
   * Cancels or discards a task. If `what` is `work`, cancels the running task. If `what` is `waiting`, discards the
   * checked backup and the task that is scheduled for the next start. If `what` is absent, cancels the running task or,
   * if no task is running, acts like `waiting`.
   */
  'data.cancel': method(closed({ what: Type.Optional(Cancelled) }), Folder),
  /**
   * Lists the folders that contain data that earlier restores replaced, newest first. These folders are next to the
   * data folder.
   */
  'data.leftovers': method(Nothing, Type.Array(Leftover)),
  /**
   * Permanently deletes a folder that `data.leftovers` lists.
   * @throws not_found (404), or restart_needed (409) while the restore that created the folder isn't finished.
   */
  'data.deleteLeftover': method(closed({ name: Type.String({ maxLength: 255 }) }), Nothing),
  /**
   * Restarts Porchlight if it can restart itself. `words`: text that says what happens next or what the owner must do.
   */
  'data.restart': method(Nothing, closed({ words: Type.String() })),
  /** Opens a system dialog to choose a file or a folder. `path` is null if the owner cancelled. */
  'desktop.choosePath': method(
    closed({ purpose: Choice, suggestion: Type.Optional(Type.String({ maxLength: 4096 })) }),
    closed({ path: Maybe(4096) }),
  ),
  /**
   * Shows a backup, an export or the data folder in the file manager. Desktop only.
   * @throws not_found (404) if the file or folder no longer exists.
   */
  'desktop.showInFolder': method(closed({ what: ShownFolder }), Nothing),
};
