import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import type { ImportCounts, ImportProgress, ImportRun } from '../../contract/mention-import.ts';
import { choice, closed, Id, Moment } from '../../contract/shapes.ts';
import { jsonIn } from '../../storage/json-value.ts';
import {
  asChecked,
  type Cell,
  readRow,
  recordTable,
  type Row,
  withTimes,
} from '../../storage/records/record-table.ts';
import type { Records } from '../../storage/records/records.ts';
import { isValid } from '../../storage/schema-check.ts';
import { type NewMention, pageOfTarget } from '../mention.ts';
import type { KeptOfMany } from '../moderation.ts';
import { pairOf } from '../receiving/received-mentions.ts';

const Seq = Type.Integer({ minimum: 1 });
const Count = Type.Integer({ minimum: 0 });

/** The most recent imports from an aggregator. `updated`, `removed` and `missing`: how many mentions; see StoredRun. */
export const aggregatorRunsTable = recordTable({
  name: 'aggregator_runs',
  row: closed({
    seq: Seq,
    id: Id,
    at: Moment,
    imported: Count,
    total: Count,
    updated: Count,
    removed: Count,
    missing: Count,
  }),
  create: `CREATE TABLE IF NOT EXISTS aggregator_runs (
      seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, imported INTEGER NOT NULL,
      total INTEGER NOT NULL, updated INTEGER NOT NULL, removed INTEGER NOT NULL, missing INTEGER NOT NULL
    ) STRICT`,
  format: 1,
  cleaned: withTimes('at'),
});

/** The IDs of the mentions that an import changed, or found missing. */
export const aggregatorChangesTable = recordTable({
  name: 'aggregator_changes',
  row: closed({ seq: Seq, run: Id, what: choice('updated', 'removed', 'missing'), mention: Id }),
  create: `CREATE TABLE IF NOT EXISTS aggregator_changes (
      seq INTEGER PRIMARY KEY, run TEXT NOT NULL, what TEXT NOT NULL, mention TEXT NOT NULL,
      UNIQUE (run, what, mention)
    ) STRICT;
    CREATE INDEX IF NOT EXISTS aggregator_changes_of_runs ON aggregator_changes (run, what, seq)`,
  format: 1,
  cleaned: asChecked,
});

interface StoredRun {
  readonly id: string;
  readonly at: string;
  readonly imported: number;
  readonly total: number;
  /** The IDs of mentions that the run changed. */
  readonly updated: readonly string[];
  /** The IDs of mentions that were removed by the run, or later with the owner's consent. */
  readonly removed: readonly string[];
  /** The IDs of mentions that the aggregator no longer lists and that await the owner's decision. */
  readonly missing: readonly string[];
}

type What = 'updated' | 'removed' | 'missing';
const kinds: readonly What[] = ['updated', 'removed', 'missing'];

/** A run with the numbers of its mentions. */
export type CountedRun = Omit<Static<typeof aggregatorRunsTable.row>, 'seq'>;

/** The number of runs to keep. The number is small, because each stored run may list every mention. */
const mostRuns = 5;
const changesAtOnce = 500;

export type ImportRunList = ReturnType<typeof createImportRuns>;

/**
 * Creates the functions that read and write the record of the last imports. Long lists are written and read in small
 * steps. The functions throw the errors of Records.
 */
export function createImportRuns(records: Pick<Records, 'rows' | 'write'>) {
  const runs = (rest: string, ...cells: Cell[]) =>
    records.rows(
      (row): CountedRun => {
        const { seq: _seq, ...counted } = readRow(aggregatorRunsTable, row);
        return counted;
      },
      `SELECT * FROM aggregator_runs ${rest}`,
      ...cells,
    );

  /** Deletes rows in small steps. */
  async function remove(condition: string, ...cells: Cell[]): Promise<void> {
    const sql = `DELETE FROM aggregator_changes WHERE seq IN (SELECT seq FROM aggregator_changes WHERE ${condition} LIMIT ${changesAtOnce})`;
    while ((await records.write(({ run }) => run(sql, ...cells))) > 0);
  }

  async function add(id: string, what: What, ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ids.length; start += changesAtOnce)
      await records.write(({ run }) => {
        let added = 0;
        for (const mention of ids.slice(start, start + changesAtOnce))
          added += run(
            'INSERT OR IGNORE INTO aggregator_changes (run, what, mention) VALUES (?, ?, ?)',
            id,
            what,
            mention,
          );
        run(`UPDATE aggregator_runs SET ${what} = ${what} + ? WHERE id = ?`, added, id);
      });
  }

  /** Deletes all but the newest runs. */
  async function prune(): Promise<void> {
    for (const { id } of runs(`ORDER BY seq DESC LIMIT -1 OFFSET ${mostRuns}`)) {
      await remove('run = ?', id);
      await records.write(({ run }) => run('DELETE FROM aggregator_runs WHERE id = ?', id));
    }
  }

  return {
    last: () => runs('ORDER BY seq DESC LIMIT 1')[0],
    find: (id: string) => runs('WHERE id = ?', id)[0],

    /** Yields the IDs of a run's mentions. */
    async *ids(id: string, what: What): AsyncGenerator<string> {
      for (let after = 0; ;) {
        const some = records.rows(
          (row) => readRow(aggregatorChangesTable, row),
          `SELECT * FROM aggregator_changes WHERE run = ? AND what = ? AND seq > ? ORDER BY seq LIMIT ${changesAtOnce}`,
          id,
          what,
          after,
        );
        for (const { mention } of some) yield mention;
        const last = some.at(-1);
        if (last === undefined) return;
        after = last.seq;
        await nextTurn();
      }
    },

    /** Adds a run, or adds what is new to the stored run with the same id. */
    async keep({ id, at, imported, total, ...lists }: StoredRun): Promise<void> {
      await records.write(({ run }) =>
        run(
          `INSERT INTO aggregator_runs (id, at, imported, total, updated, removed, missing) VALUES (?, ?, ?, ?, 0, 0, 0)
            ON CONFLICT (id) DO UPDATE SET imported = excluded.imported, total = excluded.total`,
          id,
          at,
          imported,
          total,
        ),
      );
      for (const what of kinds) await add(id, what, lists[what]);
      await prune();
    },

    /** Forgets which mentions a run removed, or found missing. */
    async clear(id: string, what: What): Promise<void> {
      await remove('run = ? AND what = ?', id, what);
      await records.write(({ run }) => run(`UPDATE aggregator_runs SET ${what} = 0 WHERE id = ?`, id));
    },
  };
}

/** Returns the record of a run that is just starting. `now`: milliseconds since 1970. */
export function newRun(now: number): StoredRun {
  const at = new Date(now).toISOString();
  return { id: randomUUID(), at, imported: 0, total: 0, updated: [], removed: [], missing: [] };
}

/** Returns whether a run changed anything or found mentions that the aggregator no longer lists. */
export function isNotable({ imported, updated, removed, missing }: StoredRun): boolean {
  return imported + updated.length + removed.length + missing.length > 0;
}

/** Returns a run as the window shows it. */
export function importSummary({ missing, ...run }: CountedRun): ImportRun {
  return { ...run, wouldRemove: missing };
}

/**
 * Returns a run's id, and how many mentions are missing at webmention.io and await the owner's decision. Returns an
 * empty object if the run removed no mentions and found none missing.
 */
export function removalsOf({ id, removed, missing }: StoredRun): Pick<ImportCounts, 'id' | 'wouldRemove'> {
  if (removed.length + missing.length === 0) return {};
  return { id, ...(missing.length > 0 && { wouldRemove: missing.length }) };
}

/**
 * The minimum time between two calls of `report`, in ms. Each call redraws the window, so calls must not be too
 * frequent.
 */
const reportEvery = 200;

/**
 * Counts the mentions that an import reads and changes. Calls `report` with the counts at the start, at the end and at
 * intervals in between.
 */
export function createTally(now: () => number, report: (progress: ImportProgress) => void) {
  const seen = new Set<number>();
  const targets = new Set<string>();
  let imported = 0;
  const updated: string[] = [];
  const removed: string[] = [];
  let spared: readonly string[] = [];
  /** Mentions that were not stored because their target page is full, grouped by page. */
  const leftOut = new Map<string, Set<string>>();
  let reportedAt = Number.NEGATIVE_INFINITY;

  const reportState = (state: ImportProgress['state'], words: string, total: number | null) =>
    report({ state, done: seen.size, total, words });

  return {
    /** The IDs (`wm-id`) of the mentions seen so far. */
    seen: seen as ReadonlySet<number>,
    saw(ids: Iterable<number>): void {
      for (const id of ids) seen.add(id);
    },
    /**
     * Counts the results of storing the mentions in `given`. `all`: the stored mentions with their results. All other
     * mentions in `given` were not stored, because their target page is full.
     */
    kept(given: readonly NewMention[], all: readonly KeptOfMany[]): void {
      const pairs =
        all.length === given.length ? undefined : new Set(all.map(({ mention }) => pairOf(mention)));
      for (const one of pairs === undefined ? [] : given) {
        const page = pageOfTarget(one.target);
        if (!pairs?.has(pairOf(one))) leftOut.set(page, (leftOut.get(page) ?? new Set()).add(pairOf(one)));
      }
      for (const { mention, outcome } of all) {
        targets.add(pageOfTarget(mention.target));
        if (outcome === 'added') imported += 1;
        if (outcome === 'updated') updated.push(mention.id);
      }
    },
    removed(id: string): void {
      removed.push(id);
    },
    /** Records the mentions that are missing at the aggregator and that are kept until the owner decides. */
    spared(ids: readonly string[]): void {
      spared = ids;
    },
    /**
     * Returns the message for the owner about mentions that the aggregator no longer lists; undefined if there are
     * none.
     */
    comparison: () => comparisonWords(removed.length, spared.length, seen.size === 0),
    /** Returns the message for the owner about full pages; undefined if every mention was stored. */
    fullPages: () => fullPagesWords(leftOut),
    counts: (): ImportCounts => ({
      imported,
      updated: new Set(updated).size,
      removed: removed.length,
      targets: targets.size,
      total: seen.size - countOf(leftOut),
    }),
    /** Returns the run's results, for the list of runs. */
    result: (): Omit<StoredRun, 'id' | 'at'> => ({
      imported,
      total: seen.size - countOf(leftOut),
      updated: [...new Set(updated)],
      removed: [...removed],
      missing: [...spared],
    }),
    start: () => reportState('running', 'Asking for your mentions…', null),
    running(): void {
      const time = now();
      if (time - reportedAt < reportEvery) return;
      reportedAt = time;
      reportState('running', `${mentions(seen.size)} read so far.`, null);
    },
    done(): void {
      const changes = `${number(imported)} new, ${number(new Set(updated).size)} changed, ${number(removed.length)} removed`;
      const kept = spared.length === 0 ? '' : ` ${comparisonWords(0, spared.length, seen.size === 0) ?? ''}`;
      const full = leftOut.size === 0 ? '' : ` ${fullPagesWords(leftOut) ?? ''}`;
      reportState('done', `Read ${mentions(seen.size)}: ${changes}.${kept}${full}`, seen.size);
    },
    failed: (words: string) => reportState('failed', words, null),
  };
}

function comparisonWords(removed: number, spared: number, isEmpty: boolean): string | undefined {
  if (removed > 0)
    return `Removed ${mentions(removed)} that the service you imported from no longer lists. You can bring them back under Webmentions.`;
  if (spared === 0) return undefined;
  const gone = isEmpty ? 'lists no mentions now' : `no longer lists ${mentions(spared)}`;
  const kept = isEmpty ? `all ${number(spared)} that are here` : spared === 1 ? 'it' : 'them';
  return `The service you imported from ${gone}. Porchlight kept ${kept}. You can remove them under Webmentions.`;
}

type LeftOut = ReadonlyMap<string, ReadonlySet<string>>;

const countOf = (leftOut: LeftOut) => [...leftOut.values()].reduce((sum, { size }) => sum + size, 0);

function fullPagesWords(leftOut: LeftOut): string | undefined {
  const [page] = leftOut.keys();
  if (page === undefined) return undefined;
  const count = countOf(leftOut);
  const were = `${count === 1 ? 'was' : 'were'} not imported`;
  if (leftOut.size === 1) return `${mentions(count)} of ${page} ${were}, because the page is full.`;
  return `${mentions(count)} of ${number(leftOut.size)} pages ${were}, because these pages are full.`;
}

export type Tally = ReturnType<typeof createTally>;

const number = (count: number) => count.toLocaleString('en');
const mentions = (count: number) => `${number(count)} ${count === 1 ? 'mention' : 'mentions'}`;

/**
 * The state that an import saves for the next import. If the state is lost, the next import reads all mentions again.
 */
const ImportState = closed({
  /** A hash of the aggregator, account and domain that this state belongs to. Contains no secret. */
  origin: Type.Optional(Type.String()),
  /** The position at which to resume a full run after an interruption. A full run reads all mentions. */
  broken: Type.Optional(closed({ page: Count, perPage: Type.Integer({ minimum: 1 }), startedAt: Moment })),
  /** All changes up to this time were imported. Later changes may still be missing. */
  newestVerified: Type.Optional(Moment),
  highestId: Type.Optional(Count),
  lastRun: Type.Optional(Moment),
  lastFullRun: Type.Optional(Moment),
});
type ImportState = Static<typeof ImportState>;

/** The state of the import, in one row. `body`: the JSON of an ImportState. */
export const aggregatorStateTable = recordTable({
  name: 'aggregator_state',
  row: closed({ one: Type.Literal(1), body: Type.String() }),
  read({ body }) {
    const state = jsonIn(body);
    return isValid(ImportState, state) ? state : undefined;
  },
  create: `CREATE TABLE IF NOT EXISTS aggregator_state (
      one INTEGER PRIMARY KEY CHECK (one = 1), body TEXT NOT NULL
    ) STRICT`,
  format: 1,
  cleaned: asChecked,
});

const find = 'SELECT * FROM aggregator_state';

export type ImportStateStore = ReturnType<typeof createImportState>;

/** Creates the functions that read and write the state of the import. They throw the errors of Records. */
export function createImportState(records: Pick<Records, 'rows' | 'write'>) {
  const stateIn = ([row]: readonly Row[]) => (row ? readRow(aggregatorStateTable, row) : {});
  return {
    get data(): Readonly<ImportState> {
      return stateIn(records.rows((row) => row, find));
    },
    /** Changes the state. Resolves once the change is on disk. */
    update: (change: (draft: ImportState) => void): Promise<void> =>
      records.write(({ rows, run }) => {
        const draft = stateIn(rows(find));
        change(draft);
        run('INSERT OR REPLACE INTO aggregator_state (one, body) VALUES (1, ?)', JSON.stringify(draft));
      }),
  };
}
