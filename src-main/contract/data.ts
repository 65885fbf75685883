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

const Folder = closed({
  folder: Type.String(),
  /** Why it can not be moved from here, in words; null where it can. */
  fixed: Maybe(),
  /** When the newest weekly copy was made. */
  lastWeekly: Type.Union([Moment, Type.Null()]),
  /** Why the last weekly copy failed, or older ones could not be removed, in words. */
  weeklyProblem: Maybe(4096),
  progress: Type.Union([DataProgress, Type.Null()]),
  waiting: Type.Union([Waiting, Type.Null()]),
});

const Restored = closed({
  me: Maybe(),
  madeAt: Moment,
  counts: DataCounts,
  secrets: Type.Boolean(),
  problems: Type.Array(Type.String()),
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

const Cancelled = Type.Union([Type.Literal('work'), Type.Literal('waiting')]);

export const dataMethods = {
  /** Writes everything into one file, and reads it back before it is called done. */
  'data.backup': method(closed({ path: Path, passphrase: Type.Optional(Passphrase) }), Backup),
  /** Checks and unpacks a backup; it takes the place of the data at the next start, and nothing changes before. */
  'data.restore': method(closed({ path: Path, passphrase: Type.Optional(Passphrase) }), Restored),
  /** Writes posts, files, mentions and profile in formats that other programs read: a .zip, or a folder. */
  'data.export': method(closed({ path: Path }), closed({ path: Type.String(), counts: DataCounts })),
  'data.folder': method(Nothing, Folder),
  /** Copies the data to another folder, which is used from the next start on. Desktop only. */
  'data.move': method(closed({ path: Path }), closed({ folder: Type.String() })),
  /**
   * Ends the work under way, or gives up what waits for the next start. Without a word: the first where there is any,
   * else the second.
   */
  'data.cancel': method(closed({ what: Type.Optional(Cancelled) }), Folder),
  /** Starts Porchlight again, where it can do so itself. */
  'data.restart': method(Nothing, closed({ words: Type.String() })),
  /** Asks in a dialog of the system where something is or goes; null where the owner changed their mind. */
  'desktop.choosePath': method(
    closed({ purpose: Choice, suggestion: Type.Optional(Type.String({ maxLength: 4096 })) }),
    closed({ path: Maybe(4096) }),
  ),
};
