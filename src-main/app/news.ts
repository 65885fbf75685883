import type { Common } from '../http/common.ts';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Type } from 'typebox';
import type { Settings } from '../contract/settings.ts';
import { closed, Id, Moment } from '../contract/shapes.ts';
import { Problem } from '../contract/status.ts';
import type { Clock } from '../platform/clock.ts';
import { insertActivity } from '../storage/records/activity.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import { readRow, recordTable } from '../storage/records/record-table.ts';
import { recordsName } from '../storage/records/records-file.ts';
import type { Records } from '../storage/records/records.ts';
import type { RecordsRepair } from '../storage/records/repair.ts';
import type { Recovery } from '../storage/recovery.ts';
import { isValid } from '../storage/schema-check.ts';

/** The problems that report a past event and that the owner hasn't dismissed. `holds`: see NewsItem. */
export const newsTable = recordTable({
  name: 'news',
  row: closed({
    id: Id,
    at: Moment,
    code: Type.String(),
    message: Type.String(),
    holds: Type.Union([Type.Literal(0), Type.Literal(1)]),
  }),
  read: ({ code, ...item }): Kept | undefined =>
    isValid(Problem.properties.code, code) ? { ...item, code, holds: item.holds === 1 } : undefined,
  create: `CREATE TABLE IF NOT EXISTS news (
      id TEXT PRIMARY KEY, at TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL, holds INTEGER NOT NULL
    ) STRICT`,
  format: 1,
  belongsHere: true,
});

/** Something that was lost or set aside. */
export interface NewsItem extends Pick<Problem, 'code' | 'message'> {
  /** The id of news that is told only once (see `wasTold`). */
  readonly id?: string;
  /** Whether new mentions wait for the owner's approval until the owner has dismissed this. */
  readonly holds: boolean;
}

type Kept = NewsItem & { readonly id: string; readonly at: string };

const keptOf = (item: NewsItem, clock: Clock): Kept => ({
  ...item,
  id: item.id ?? randomUUID(),
  at: new Date(clock()).toISOString(),
});
const entryOf = ({ id, at, message }: Kept) => ({ id, at, kind: 'data.recovered', words: message });

/** Writes an item, and its entry of the activity, into a database that isn't in use yet. */
export const insertNews = (run: Transaction['run'], item: NewsItem, clock: Clock): void =>
  insertKept(run, keptOf(item, clock));

function insertKept(run: Transaction['run'], item: Kept): void {
  const { id, at, code, message, holds } = item;
  const sql = 'INSERT OR IGNORE INTO news (id, at, code, message, holds) VALUES (?, ?, ?, ?, ?)';
  run(sql, id, at, code, message, holds ? 1 : 0);
  insertActivity(run, entryOf(item));
}

interface NewsDeps extends Pick<Common, 'hub' | 'clock'> {
  readonly records: Pick<Records, 'rows' | 'write'>;
  /** Called when the list has changed. */
  readonly changed: () => void;
  /** Called if something could not be saved. It is tried again by `retry`. */
  readonly failed: (error: unknown) => void;
}

export type OwnerNews = ReturnType<typeof createOwnerNews>;

/**
 * Creates the list of what was lost or set aside. Each item is an entry of the activity, and a problem in the status at
 * every start until the owner dismisses it.
 */
export function createOwnerNews({ records, hub, clock, changed, failed }: NewsDeps) {
  const items = new Map<string, Kept>();
  const unsaved = new Set<Kept>();

  function load(): void {
    try {
      const found = records.rows(
        (row) => readRow(newsTable, row),
        'SELECT id, at, code, message, holds FROM news ORDER BY at, id LIMIT 100',
      );
      items.clear();
      for (const item of [...found, ...unsaved]) items.set(item.id, item);
    } catch (error) {
      failed(error);
    }
  }

  async function save(item: Kept): Promise<void> {
    try {
      await records.write(({ run }) => insertKept(run, item));
      unsaved.delete(item);
      hub.emit('activity.added', entryOf(item));
    } catch (error) {
      unsaved.add(item);
      failed(error);
    }
  }

  /**
   * Removes an item. Does nothing if it was removed before. Resolves when that is on disk.
   * @throws PorchlightError `storage_full` and others if that can't be written; then the item stays
   */
  async function dismiss(id: string): Promise<void> {
    const item = items.get(id);
    if (item === undefined) return;
    await records.write(({ run }) => run('DELETE FROM news WHERE id = ?', id));
    unsaved.delete(item);
    items.delete(id);
    changed();
  }

  return {
    /** Reads the list from the database, at a start and when another database has taken its place. */
    load(): void {
      load();
      changed();
    },

    list: (): Problem[] => [...items.values()].map(({ id, code, message }) => ({ id, code, message })),

    /** Returns the owner's rules for mentions. If what was lost may concern them, every new mention is held. */
    heldBack: <Rules extends Pick<Settings['webmention'], 'hold'>>(rules: Rules): Rules =>
      [...items.values()].some(({ holds }) => holds) ? { ...rules, hold: 'everything' } : rules,

    /** Adds an item. Resolves when it is on disk. If it can't be written now, resolves too, and `retry` writes it. */
    async add(item: NewsItem): Promise<void> {
      // A kill between the news and its cause leads to the same news again.
      if ([...items.values()].some(({ message }) => message === item.message)) return;
      const kept = keptOf(item, clock);
      items.set(kept.id, kept);
      changed();
      await save(kept);
    },

    /** Returns whether an item with this id was added, even if the owner has dismissed it. */
    wasTold: (id: string): boolean =>
      items.has(id) || records.rows(() => true, 'SELECT 1 FROM activity WHERE id = ?', id).length > 0,

    /** Writes what could not be written before. */
    async retry(): Promise<void> {
      await Promise.all([...unsaved].map(save));
    },

    dismiss,

    /** Removes all items with a code. Resolves and throws as `dismiss` does. */
    async dismissAll(code: NewsItem['code']): Promise<void> {
      for (const item of items.values()) if (item.code === code) await dismiss(item.id);
    },
  };
}

/**
 * Creates the list of problems that the owner should know about. Problems that stay until the next start come first, and
 * then those that stay until the owner dismisses them. `found`: the problems that were found before the service opened.
 */
export function createProblems(found: readonly Problem[], news: OwnerNews) {
  const known = [...found];
  let passing = (): Problem[] => [];

  return {
    /** Adds a problem that stays until the next start. Returns false if there is one with this code. */
    add(problem: Problem): boolean {
      if (known.some(({ code }) => code === problem.code)) return false;
      known.push(problem);
      return true;
    },
    /** Passes in what returns the problems that may pass by themselves. Call it once, when all parts are open. */
    connect: (all: () => Problem[]) => void (passing = all),
    list: (): Problem[] => [...known, ...news.list(), ...passing()],
  };
}

const holdWords = 'New mentions wait for your approval until you dismiss this message.';

/** Returns the news of a file that was damaged or missing and was recovered. */
export function recoveryNews(recovery: Recovery): NewsItem {
  const holds = isAboutMentions(recovery);
  const wait = holds ? ` ${holdWords}` : '';
  return { code: 'storage_recovered', message: `${recoveryWords(recovery)}${wait}`, holds };
}

const heldWords =
  'Mentions that may have been withdrawn or hidden since then aren’t shown, and new mentions wait for your approval. “Show mentions again” shows those that were public before, and ends this.';

/** Returns the news of a database that was damaged or missing and was repaired. */
export function repairNews({ movedTo, copyFrom, isPartial, isOlder }: RecordsRepair): NewsItem {
  const fault = isOlder
    ? 'lacked changes that were saved. It was damaged, or an older one was in its place'
    : 'was damaged';
  const what =
    movedTo === null
      ? `The database ${recordsName} was missing or empty.`
      : `The database ${recordsName} ${fault}. Porchlight kept it as ${path.basename(movedTo)}.`;
  const code = 'storage_recovered';
  if (!isPartial)
    return {
      code,
      message: `${what} Porchlight made a new one. Everything in it could be read.`,
      holds: false,
    };
  const source =
    copyFrom === null
      ? 'There was no copy of it.'
      : `Porchlight used its copy from ${copyFrom.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
  const lost =
    'What Porchlight recorded by itself may be missing, such as mentions, activity and signed-in apps. Your posts and settings are in other files.';
  const signOut = isOlder ? ' All apps have to sign in again.' : '';
  return {
    code: 'mentions_held',
    message: `${what} ${source} ${lost}${signOut} ${heldWords}`,
    holds: true,
  };
}

/** The news that settings.json is gone, with all its versions. */
export const settingsLostNews: NewsItem = {
  code: 'storage_recovered',
  message: `The file settings.json was missing. Porchlight uses the initial settings. Check them. ${holdWords}`,
  holds: true,
};

/** Returns the news that the folder with all files is gone. `count`: the number of these files. */
export const mediaLostNews = (count: number): NewsItem => ({
  code: 'storage_recovered',
  message: `The folder “media” was missing or empty, so ${count === 1 ? 'a file' : `${count.toLocaleString('en')} files`} of your site can’t be shown. Put the folder back from a copy, or restore a backup.`,
  holds: false,
});

/** The news that the keys are gone, and that all apps were signed out. */
export const keyLostNews: NewsItem = {
  code: 'storage_recovered',
  message:
    'The keys and tokens that Porchlight kept for you were gone, so it made new keys. All apps have to sign in again. Enter other tokens again, such as the one of your tunnel.',
  holds: false,
};

/** Returns the news of work that the queue set aside because it can't be read. */
export const unreadableWork = (kind: string): NewsItem => ({
  code: 'storage_recovered',
  message: `Something that Porchlight still had to do can’t be read (${kind}). It was set aside.`,
  holds: false,
});

/** Returns whether a file decided which mentions are shown without approval. */
function isAboutMentions({ file, recoveredFrom, keys = [] }: Recovery): boolean {
  const name = path.basename(file);
  return (
    name === 'settings.json' &&
    (recoveredFrom !== 'initial' || keys.some((key) => key.startsWith('webmention')))
  );
}

function recoveryWords({ file, movedTo, recoveredFrom, keys = [] }: Recovery): string {
  const name = path.basename(file);
  const replaced =
    keys.length === 0
      ? ''
      : ` These values weren’t valid, so Porchlight uses the defaults instead: ${listed(keys)}.`;
  if (recoveredFrom === 'initial') {
    const copy = movedTo === null ? '' : ` The file as it was is kept as ${path.basename(movedTo)}.`;
    return `Check the file ${name}.${replaced}${copy}`;
  }
  const what =
    movedTo === null
      ? `The file ${name} was missing.`
      : `Porchlight couldn’t read the file ${name} and kept it as ${path.basename(movedTo)}.`;
  const next = {
    previous: 'Porchlight uses the previous version.',
    nothing: 'Porchlight starts with an empty one.',
  }[recoveredFrom];
  return `${what} ${next}${replaced}`;
}

/** Returns the first five keys and how many others there are. A damaged list may have thousands of keys. */
function listed(keys: readonly string[]): string {
  const named = keys.slice(0, 5).join(', ');
  return keys.length > 5 ? `${named} and ${keys.length - 5} more` : named;
}
