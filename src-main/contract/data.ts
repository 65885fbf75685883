import { Type, type Static } from 'typebox';
import { choice, closed, Maybe, method, Moment, Nothing, orNull } from './shapes.ts';

/** The path of a file or folder on this computer. */
const Path = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\0]+$' });

/** The passphrase that protects the secrets in a backup. Nobody can read them without it. */
const Passphrase = Type.String({ minLength: 10, maxLength: 1000 });

export const DataTask = choice('backup', 'weekly', 'restore', 'export', 'move');
export type DataTask = Static<typeof DataTask>;

/** The progress of a long-running data task, such as a backup. */
export const DataProgress = closed({
  task: DataTask,
  state: choice('running', 'done', 'failed', 'cancelled'),
  /** Bytes processed so far, out of `total`, which is 0 while unknown. Both are 1 once the task is done. */
  done: Type.Number(),
  total: Type.Number(),
  words: Type.String(),
});
export type DataProgress = Static<typeof DataProgress>;

/** Counts of what a backup or an export contains. */
export const DataCounts = closed({
  posts: Type.Integer(),
  files: Type.Integer(),
  mentions: Type.Integer(),
  bytes: Type.Number(),
});
export type DataCounts = Static<typeof DataCounts>;

/** The newest backup or export. The file may no longer exist. */
export const LastCopy = closed({
  path: Type.String({ maxLength: 4096 }),
  madeAt: Moment,
  /** The size of the file. For an export to a folder: the total size of its media files. */
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
  /** Problems found in the data that was backed up. The backup contains that data unchanged. */
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

/** One side's value for display. Long lists are truncated. Entries that only this side has come first. */
const ChangeValue = Type.Union([
  Type.Null(),
  Type.Boolean(),
  Type.Number(),
  Type.String(),
  Type.Array(Type.String()),
]);
export type ChangeValue = Static<typeof ChangeValue>;

/** A change that a restore would make. `setting`: a stable name, such as `signIn.allowWithoutPkce`. */
export const RestoreChange = closed({
  setting: Type.String(),
  /** The values on this computer and in the backup. */
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
  /** The changes that a restore would make. This computer keeps its own value unless the owner accepts the change. */
  changes: Type.Array(RestoreChange),
});
export type CheckedBackup = Static<typeof CheckedBackup>;

const Folder = closed({
  folder: Type.String(),
  /** Why the window cannot move the data folder, in words for the owner; null if it can. */
  fixed: Maybe(),
  /** Whether there are no posts and no mentions yet. If so, the owner most likely came to restore a backup. */
  isNew: Type.Boolean(),
  /** The newest backup, whether made by hand or weekly, and the newest export. */
  lastBackup: orNull(LastCopy),
  lastExport: orNull(LastCopy),
  /** When the newest weekly backup was made. */
  lastWeekly: orNull(Moment),
  /** Why the last weekly backup failed, or why older ones could not be deleted, in words for the owner. */
  weeklyProblem: Maybe(4096),
  progress: orNull(DataProgress),
  /** The checked backup that the owner has neither restored nor cancelled. */
  checked: orNull(CheckedBackup),
  waiting: orNull(Waiting),
});

const Choice = choice(
  ...(['saveBackup', 'openBackup', 'saveExport', 'saveMentions', 'weeklyFolder', 'newFolder'] as const),
  ...(['importFile', 'importFolder', 'siteFolder'] as const),
);
export type PathChoice = Static<typeof Choice>;

/** What the window may show in the file manager. The window never supplies a path. */
const ShownFolder = choice('backup', 'export', 'data');
export type ShownFolder = Static<typeof ShownFolder>;

/** A folder with the earlier data that a restore replaced. `bytes`: the total size of its files. */
const Leftover = closed({
  name: Type.String(),
  path: Type.String(),
  replacedAt: Moment,
  bytes: Type.Integer({ minimum: 0 }),
});
export type Leftover = Static<typeof Leftover>;

const Accepted = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200 });

const Cancelled = choice('work', 'waiting');

export const dataMethods = {
  /** Writes all data to one backup file, then reads the file back to verify it. */
  'data.backup': method(closed({ path: Path, passphrase: Type.Optional(Passphrase) }), Backup),
  /** Checks and unpacks a backup, and returns the changes that restoring it would make. Restores nothing. */
  'data.restore': method(closed({ path: Path, passphrase: Type.Optional(Passphrase) }), CheckedBackup),
  /**
   * Schedules the checked backup to be restored at the next start. `accept`: the names of the changes to make. Every
   * other listed setting keeps the value that this computer has when the restore runs.
   */
  'data.applyRestore': method(closed({ accept: Type.Optional(Accepted) }), Folder),
  /** Exports everything to a .zip file or a folder that Hugo, Jekyll and Eleventy can build. */
  'data.export': method(closed({ path: Path }), closed({ path: Type.String(), counts: DataCounts })),
  'data.folder': method(Nothing, Folder),
  /** Copies the data to another folder, which Porchlight uses from the next start on. Desktop only. */
  'data.move': method(closed({ path: Path }), closed({ folder: Type.String() })),
  /**
   * Cancels the running task (`what`: `work`), or discards what is pending (`waiting`): a checked backup, or the task
   * for the next start. Without `what`: cancels the running task if there is one, else discards what is pending.
   */
  'data.cancel': method(closed({ what: Type.Optional(Cancelled) }), Folder),
  /** Lists the folders of earlier data that restores left beside the data folder, newest first. */
  'data.leftovers': method(Nothing, Type.Array(Leftover)),
  /**
   * Permanently deletes a folder that data.leftovers lists.
   * @throws not_found (404), busy (409) while the restore that left the folder isn't finished.
   */
  'data.deleteLeftover': method(closed({ name: Type.String({ maxLength: 255 }) }), Nothing),
  /** Restarts Porchlight if it can restart itself. `words`: what happens, or what the owner has to do. */
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
