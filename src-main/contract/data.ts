import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Maybe, Moment, Nothing, closed } from './shapes.ts';

/** Where something lies on this computer. */
const Path = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\0]+$' });

/** What protects the secrets in a backup; nobody can read them without it. */
const Passphrase = Type.String({ minLength: 10, maxLength: 1000 });

export const DataTask = Type.Union([
  Type.Literal('backup'),
  Type.Literal('weekly'),
  Type.Literal('restore'),
  Type.Literal('export'),
  Type.Literal('move'),
]);
export type DataTask = Static<typeof DataTask>;

/** How far long work with the data is. */
export const DataProgress = closed({
  task: DataTask,
  state: Type.Union([
    Type.Literal('running'),
    Type.Literal('done'),
    Type.Literal('failed'),
    Type.Literal('cancelled'),
  ]),
  /** Bytes; `total` is 0 while nobody knows. */
  done: Type.Number(),
  total: Type.Number(),
  words: Type.String(),
});
export type DataProgress = Static<typeof DataProgress>;

/** What a copy holds. */
export const DataCounts = closed({
  posts: Type.Integer(),
  files: Type.Integer(),
  mentions: Type.Integer(),
  bytes: Type.Number(),
});
export type DataCounts = Static<typeof DataCounts>;

/** The newest copy of one kind: where it was saved, when, and what it holds. The file may be gone by now. */
export const LastCopy = closed({
  path: Type.String({ maxLength: 4096 }),
  madeAt: Moment,
  /** The size of the file; of an export to a folder, the sum of its media files. */
  bytes: Type.Number(),
  counts: DataCounts,
  /** True if secrets are in it, under a passphrase. */
  secrets: Type.Boolean(),
});
export type LastCopy = Static<typeof LastCopy>;

const Backup = closed({
  path: Type.String(),
  counts: DataCounts,
  /** True where the secrets are in it, under the passphrase. */
  secrets: Type.Boolean(),
  /** What in the data itself is not as it should be; the copy is true to it. */
  problems: Type.Array(Type.String()),
});

/** What takes place at the next start. */
const Waiting = closed({
  task: Type.Union([Type.Literal('restore'), Type.Literal('move')]),
  /** Restore: whose data it is, and from when. */
  me: Maybe(),
  madeAt: Type.Union([Moment, Type.Null()]),
  /** Move: the folder to be. */
  folder: Maybe(4096),
  words: Type.String(),
});

/** A value ready for display. Lists are cut after some entries, those first that the other side lacks. */
const ChangeValue = Type.Union([
  Type.Null(),
  Type.Boolean(),
  Type.Number(),
  Type.String(),
  Type.Array(Type.String()),
]);
export type ChangeValue = Static<typeof ChangeValue>;

/** What a restore would change of trust, reach or privacy. `setting`: a name that stays the same, such as `signIn.allowWithoutPkce`. */
export const RestoreChange = closed({
  setting: Type.String(),
  /** On this computer. */
  here: ChangeValue,
  /** In the backup. */
  there: ChangeValue,
});
export type RestoreChange = Static<typeof RestoreChange>;

/** A backup that was checked and unpacked. Nothing is restored before the owner says so. */
const CheckedBackup = closed({
  me: Maybe(),
  madeAt: Moment,
  counts: DataCounts,
  /** True where the passphrase opened its secrets. */
  secrets: Type.Boolean(),
  problems: Type.Array(Type.String()),
  /** Each stays as it is on this computer unless the owner accepts it. */
  changes: Type.Array(RestoreChange),
});
export type CheckedBackup = Static<typeof CheckedBackup>;

const Folder = closed({
  folder: Type.String(),
  /** Why it cannot be moved from here, in words; null where it can. */
  fixed: Maybe(),
  /** True while there are no posts and no mentions: then a restore is what the owner most likely came for. */
  isNew: Type.Boolean(),
  /** The newest backup, made by hand or weekly, and the newest export. */
  lastBackup: Type.Union([LastCopy, Type.Null()]),
  lastExport: Type.Union([LastCopy, Type.Null()]),
  /** When the newest weekly copy was made. */
  lastWeekly: Type.Union([Moment, Type.Null()]),
  /** Why the last weekly copy failed, or older ones could not be removed, in words. */
  weeklyProblem: Maybe(4096),
  progress: Type.Union([DataProgress, Type.Null()]),
  /** The backup that was checked, and that the owner has neither restored nor cancelled. */
  checked: Type.Union([CheckedBackup, Type.Null()]),
  waiting: Type.Union([Waiting, Type.Null()]),
});

const Choice = Type.Union([
  Type.Literal('saveBackup'),
  Type.Literal('openBackup'),
  Type.Literal('saveExport'),
  Type.Literal('saveMentions'),
  Type.Literal('weeklyFolder'),
  Type.Literal('newFolder'),
]);
export type PathChoice = Static<typeof Choice>;

/** What the file manager can show: the newest backup, the newest export, or the data folder. Never a path of the window's. */
const Shown = Type.Union([Type.Literal('backup'), Type.Literal('export'), Type.Literal('data')]);
export type Shown = Static<typeof Shown>;

/** The data that a restore replaced. `bytes`: the size of all its files together. */
const Leftover = closed({
  name: Type.String(),
  path: Type.String(),
  replacedAt: Moment,
  bytes: Type.Integer({ minimum: 0 }),
});
export type Leftover = Static<typeof Leftover>;

const Accepted = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200 });

const Cancelled = Type.Union([Type.Literal('work'), Type.Literal('waiting')]);

export const dataMethods = {
  /** Writes everything into one file, and reads it back before it is called done. */
  'data.backup': method(closed({ path: Path, passphrase: Type.Optional(Passphrase) }), Backup),
  /** Checks and unpacks a backup, and answers what restoring it would change. Restores nothing. */
  'data.restore': method(closed({ path: Path, passphrase: Type.Optional(Passphrase) }), CheckedBackup),
  /**
   * Restores the backup that was checked at the next start, with the changes that are named. All others keep the value
   * that this computer has then.
   */
  'data.applyRestore': method(closed({ accept: Type.Optional(Accepted) }), Folder),
  /** Writes posts, files, mentions and profile into a .zip or a folder that Hugo, Jekyll and Eleventy build. */
  'data.export': method(closed({ path: Path }), closed({ path: Type.String(), counts: DataCounts })),
  'data.folder': method(Nothing, Folder),
  /** Copies the data to another folder, which is used from the next start on. Desktop only. */
  'data.move': method(closed({ path: Path }), closed({ folder: Type.String() })),
  /**
   * Ends the work under way, or discards what waits: a backup that was checked, or what the next start would do.
   * Without `what`: the first where there is any, else the second.
   */
  'data.cancel': method(closed({ what: Type.Optional(Cancelled) }), Folder),
  /** Lists the copies of earlier data that restores left beside the data folder, newest first. */
  'data.leftovers': method(Nothing, Type.Array(Leftover)),
  /** Deletes one of them for good. @throws not_found (404), busy (409) while its restore isn't finished. */
  'data.deleteLeftover': method(closed({ name: Type.String({ maxLength: 255 }) }), Nothing),
  /** Starts Porchlight again, where it can do so itself. */
  'data.restart': method(Nothing, closed({ words: Type.String() })),
  /** Asks in a dialog of the system where something is or goes; null where the owner changed their mind. */
  'desktop.choosePath': method(
    closed({ purpose: Choice, suggestion: Type.Optional(Type.String({ maxLength: 4096 })) }),
    closed({ path: Maybe(4096) }),
  ),
  /** Shows a copy or the data folder in the file manager. @throws not_found (404) if it is no longer there. Desktop only. */
  'desktop.showInFolder': method(closed({ what: Shown }), Nothing),
};
