import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import {
  ArchiveFormat,
  type ImportReport,
  type ImportSample,
  type PastImport,
} from '../contract/post-import.ts';
import type { PostKind } from '../contract/posts.ts';
import { choice, closed, Id, Moment, orNull } from '../contract/shapes.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import { readRow, recordTable, withTimes } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';

const Count = Type.Integer({ minimum: 0 });

/** The imports of archives. `posts`, `files`, `mentions` and `pages`: how many the run added, or was about to add. */
export const importRunsTable = recordTable({
  name: 'import_runs',
  row: closed({
    seq: Type.Integer({ minimum: 1 }),
    id: Id,
    at: Moment,
    path: Type.String(),
    archive: ArchiveFormat,
    own_export: Type.Integer({ minimum: 0, maximum: 1 }),
    ended: orNull(choice('done', 'cancelled', 'undone')),
    posts: Count,
    files: Count,
    mentions: Count,
    pages: Count,
  }),
  create: `CREATE TABLE IF NOT EXISTS import_runs (
      seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, path TEXT NOT NULL, archive TEXT NOT NULL,
      own_export INTEGER NOT NULL, ended TEXT, posts INTEGER NOT NULL DEFAULT 0, files INTEGER NOT NULL DEFAULT 0,
      mentions INTEGER NOT NULL DEFAULT 0, pages INTEGER NOT NULL DEFAULT 0
    ) STRICT`,
  format: 1,
  cleaned: withTimes('at'),
});

/**
 * What the runs added. A row is on disk before the change that it records, so every change is recorded even if the
 * process is killed.
 *
 * - `post`: `place` is its path. `at` is when it was created, which distinguishes it from a later post at the same path.
 *   `undone` is when an undo deleted it.
 * - `file`: `key` is the key of its post, `part` the hash of its path in the archive (see recordHash), and `place` its path
 *   in the media store.
 * - `mention`: `key` identifies the mention in every export (see mentionKey), and `place` is its id.
 * - `page`: `key` is its slug, and `place` the hash of its content (see pageHash).
 */
export const importItemsTable = recordTable({
  name: 'import_items',
  row: closed({
    seq: Type.Integer({ minimum: 1 }),
    run: Id,
    kind: choice('post', 'file', 'mention', 'page'),
    key: Type.String(),
    part: Type.String(),
    place: Type.String(),
    at: Moment,
    undone: orNull(Moment),
  }),
  create: `CREATE TABLE IF NOT EXISTS import_items (
      seq INTEGER PRIMARY KEY, run TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, part TEXT NOT NULL,
      place TEXT NOT NULL, at TEXT NOT NULL, undone TEXT, UNIQUE (run, kind, key, part)
    ) STRICT;
    CREATE INDEX IF NOT EXISTS import_items_of_runs ON import_items (run, kind, seq);
    CREATE INDEX IF NOT EXISTS import_items_by_key ON import_items (kind, key, seq);
    CREATE INDEX IF NOT EXISTS import_items_by_file ON import_items (part, seq) WHERE part <> ''`,
  format: 1,
  cleaned: withTimes('at', 'undone'),
});
type Item = Static<typeof importItemsTable.row>;

/** A post that a run created, or was about to create. */
export interface RecordedPost {
  readonly path: string;
  readonly createdAt: string;
}

/** A run, with the numbers of what it added. */
export interface RecordedRun extends Omit<PastImport, 'state'> {
  readonly ended: 'done' | 'cancelled' | 'undone' | null;
}

export type ImportRecords = ReturnType<typeof createImportRecords>;

/** What all runs had recorded at a moment. The newest record for a key counts. */
export type Recorded = ReturnType<ImportRecords['recorded']>;

/** Records the actions of a run. Each method resolves once its record is on disk. */
export type RunRecords = ReturnType<ImportRecords['of']>;

const itemsAtOnce = 500;

type Rows = Pick<Records, 'rows' | 'write'>;

/** Creates the functions that read and write what imports did. `now`: returns the time in ms. */
export function createImportRecords(records: Rows, now: () => number) {
  const moment = () => new Date(now()).toISOString();

  function runs(rest: string, ...cells: string[]): RecordedRun[] {
    return records.rows(
      (row): RecordedRun => {
        const { seq: _seq, archive, own_export, ...run } = readRow(importRunsTable, row);
        return { ...run, format: archive, ownExport: own_export === 1 };
      },
      `SELECT * FROM import_runs ${rest}`,
      ...cells,
    );
  }

  return {
    find: (id: string): RecordedRun | undefined => runs('WHERE id = ?', id)[0],

    /** Returns the newest run of an archive that didn't end or was cancelled. */
    begun: (path: string, format: ArchiveFormat): RecordedRun | undefined =>
      runs(
        "WHERE path = ? AND archive = ? AND (ended IS NULL OR ended = 'cancelled') ORDER BY at DESC, seq DESC LIMIT 1",
        path,
        format,
      )[0],

    /** Returns the runs for the window, newest first. */
    list: (): PastImport[] =>
      runs('ORDER BY at DESC, seq DESC').map(({ ended, ...run }) => ({
        ...run,
        state: ended ?? 'interrupted',
      })),

    recorded: () => recordedUntilNow(records),

    /** Yields the items of a run, in the order in which they were recorded. Reads them in small steps. */
    async *items(run: string, kind: Item['kind']): AsyncGenerator<Item> {
      for (let after = 0; ;) {
        const some = records.rows(
          (row) => readRow(importItemsTable, row),
          `SELECT * FROM import_items WHERE run = ? AND kind = ? AND seq > ? ORDER BY seq LIMIT ${itemsAtOnce}`,
          run,
          kind,
          after,
        );
        yield* some;
        const last = some.at(-1);
        if (last === undefined) return;
        after = last.seq;
        await nextTurn();
      }
    },

    of: (id: string) => recordsOfRun(records, id, moment),
  };
}

/** Returns functions that find what all runs have recorded until now. They ignore what is recorded later. */
function recordedUntilNow(records: Rows) {
  const [last = 0] = records.rows(({ seq }) => Number(seq), 'SELECT max(seq) AS seq FROM import_items');
  const newest = (condition: string, ...cells: string[]): Item | undefined =>
    records.rows(
      (row) => readRow(importItemsTable, row),
      `SELECT * FROM import_items WHERE ${condition} AND seq <= ? ORDER BY seq DESC LIMIT 1`,
      ...cells,
      last,
    )[0];
  return {
    post(key: string): RecordedPost | undefined {
      const found = newest("kind = 'post' AND key = ?", key);
      return found && { path: found.place, createdAt: found.at };
    },
    /** Returns when an undo deleted a post; undefined if none did. */
    undone: (key: string): string | undefined =>
      newest("kind = 'post' AND key = ? AND undone IS NOT NULL", key)?.undone ?? undefined,
    /** Returns the path of a post's file in the media store. */
    file: (key: string, hash: string): string | undefined =>
      newest("kind = 'file' AND key = ? AND part = ?", key, hash)?.place,
    /** Returns the path in the media store of a file of any post. `run`: of this run only. */
    fileOfAny: (hash: string, run?: string): string | undefined =>
      run === undefined
        ? newest("part <> '' AND part = ?", hash)?.place
        : newest("part <> '' AND part = ? AND run = ?", hash, run)?.place,
    /** Returns the id of a mention. */
    mention: (key: string): string | undefined => newest("kind = 'mention' AND key = ?", key)?.place,
  };
}

const insertRun = 'INSERT INTO import_runs (id, at, path, archive, own_export) VALUES (?, ?, ?, ?, ?)';
const insertItem =
  'INSERT INTO import_items (run, kind, key, part, place, at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
const updateItem =
  'UPDATE import_items SET place = ?, at = ? WHERE run = ? AND kind = ? AND key = ? AND part = ?';
const undoPost = "UPDATE import_items SET undone = ? WHERE run = ? AND kind = 'post' AND key = ?";

/** Returns the functions that record the actions of a run. */
function recordsOfRun(records: Rows, id: string, moment: () => string) {
  /** Adds an item to the run, or replaces it. */
  function put(
    { run }: Transaction,
    { kind, key, part = '', place, at = moment() }: Pick<Item, 'kind' | 'key' | 'place'> & Partial<Item>,
  ): void {
    if (run(insertItem, id, kind, key, part, place, at) === 0)
      run(updateItem, place, at, id, kind, key, part);
    else run(`UPDATE import_runs SET ${kind}s = ${kind}s + 1 WHERE id = ?`, id);
  }

  return {
    begin: (path: string, format: ArchiveFormat, ownExport: boolean) =>
      records.write(({ run }) => run(insertRun, id, moment(), path, format, Number(ownExport))),
    post: (transaction: Transaction, key: string, path: string, createdAt: string): void => {
      put(transaction, { kind: 'post', key, place: path, at: createdAt });
    },
    file: (key: string, hash: string, path: string) =>
      records.write((change) => put(change, { kind: 'file', key, part: hash, place: path })),
    mentions: (added: readonly { id: string; key: string }[]) =>
      records.write((change) => {
        for (const one of added) put(change, { kind: 'mention', key: one.key, place: one.id });
      }),
    page: (slug: string, hash: string) =>
      records.write((change) => put(change, { kind: 'page', key: slug, place: hash })),
    undone: (key: string, deletedAt: string) => records.write(({ run }) => run(undoPost, deletedAt, id, key)),
    end: (ended: NonNullable<RecordedRun['ended']>) =>
      records.write(({ run }) => run('UPDATE import_runs SET ended = ? WHERE id = ?', ended, id)),
  };
}

const most = { skipped: 200, losses: 1000, lost: 20, samples: 5, words: 300, reasons: 100 };
/** Counts the parts whose reason is not among the first ones. */
const otherReasons = 'Other reasons';

/** Collects the results of an import, in a bounded amount of memory. */
export class ReportWriter {
  /** How many posts the archive has, and how many of them can be imported. */
  found = 0;
  importable = 0;
  files = 0;
  mentions = 0;
  pages = 0;
  readonly #id: string;
  readonly #format: ArchiveFormat;
  readonly #kinds = new Map<PostKind, number>();
  readonly #reasons = new Map<string, number>();
  readonly #skipped: ImportReport['skipped'] = [];
  readonly #losses: ImportReport['losses'] = [];
  #lossCount = 0;
  readonly #samples: ImportSample[] = [];

  constructor(id: string, format: ArchiveFormat) {
    this.#id = id;
    this.#format = format;
  }

  /** Whether there is anything to import. */
  get isEmpty(): boolean {
    return this.importable + this.files + this.mentions + this.pages === 0;
  }

  skip(what: string, why: string, count = 1): void {
    const isNamed = this.#reasons.has(why) || this.#reasons.size < most.reasons;
    countUp(this.#reasons, isNamed ? why : otherReasons, count);
    if (this.#skipped.length < most.skipped) this.#skipped.push({ what: what.slice(0, most.words), why });
  }

  take(sample: ImportSample): void {
    this.importable += 1;
    this.files += sample.files;
    countUp(this.#kinds, sample.kind, 1);
    // Keep one sample of each post kind, so that the owner sees how posts of that kind are converted.
    const isNew = this.#samples.every(({ kind }) => kind !== sample.kind);
    if (isNew && this.#samples.length < most.samples) this.#samples.push(sample);
  }

  /** Names a post that loses something. */
  lose(what: string, lost: readonly string[] = []): void {
    if (lost.length === 0) return;
    this.#lossCount += 1;
    if (this.#losses.length === most.losses) return;
    const rest = lost.length - most.lost;
    const named = [...lost.slice(0, most.lost), ...(rest > 0 ? [`and ${rest} more`] : [])];
    this.#losses.push({ what: what.slice(0, most.words), lost: named });
  }

  /** Returns the report. `imported`: the number of posts that were stored. */
  written(state: ImportReport['state'], imported: number): ImportReport {
    const { found, files, mentions, pages } = this;
    return {
      id: this.#id,
      format: this.#format,
      state,
      found,
      imported,
      kinds: [...this.#kinds].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count),
      files,
      mentions,
      pages,
      skipped: this.#skipped,
      losses: this.#losses,
      lossCount: this.#lossCount,
      samples: this.#samples,
      reasons: [...this.#reasons].map(([why, count]) => ({ why, count })).sort((a, b) => b.count - a.count),
    };
  }
}

function countUp<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
