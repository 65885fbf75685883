import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import type { ImportCounts, ImportRun } from '../../contract/mention-import.ts';
import { choice, closed, Id, Moment } from '../../contract/shapes.ts';
import { recordTable, type Cell } from '../../storage/records/record-table.ts';
import type { Records } from '../../storage/records/records.ts';

const Seq = Type.Integer({ minimum: 1 });
const Count = Type.Integer({ minimum: 0 });

/** The most recent imports from an aggregator. `updated`, `removed` and `missing`: how many mentions; see StoredRun. */
export const aggregatorRunsTable = recordTable({
  name: 'aggregator_runs',
  row: closed({
    ...{ seq: Seq, id: Id, at: Moment, imported: Count, total: Count },
    ...{ updated: Count, removed: Count, missing: Count },
  }),
  create: `CREATE TABLE IF NOT EXISTS aggregator_runs (
      seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, imported INTEGER NOT NULL,
      total INTEGER NOT NULL, updated INTEGER NOT NULL, removed INTEGER NOT NULL, missing INTEGER NOT NULL
    ) STRICT`,
  format: 1,
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
});

export interface StoredRun {
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
const rowsAtOnce = 500;

/** The record of the last imports. Long lists are written and read in small steps. */
export interface ImportRunList {
  last(): CountedRun | undefined;
  find(id: string): CountedRun | undefined;
  /** Yields the IDs of a run's mentions. */
  ids(id: string, what: What): AsyncGenerator<string>;
  /** Adds a run, or adds what is new to the stored run with the same id. */
  keep(run: StoredRun): Promise<void>;
  /** Forgets which mentions a run removed, or found missing. */
  clear(id: string, what: What): Promise<void>;
}

/** Creates the functions that read and write the record of the last imports. They throw the errors of Records. */
export function createImportRuns(records: Pick<Records, 'rows' | 'write'>): ImportRunList {
  const runs = (rest: string, ...cells: Cell[]) =>
    records.rows(
      (row) => row as CountedRun,
      `SELECT id, at, imported, total, updated, removed, missing FROM aggregator_runs ${rest}`,
      ...cells,
    );

  /** Deletes rows in small steps. */
  async function remove(condition: string, ...cells: Cell[]): Promise<void> {
    const sql = `DELETE FROM aggregator_changes WHERE seq IN (SELECT seq FROM aggregator_changes WHERE ${condition} LIMIT ${rowsAtOnce})`;
    while ((await records.write(({ run }) => run(sql, ...cells))) > 0);
  }

  async function add(id: string, what: What, ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ids.length; start += rowsAtOnce)
      await records.write(({ run }) => {
        let added = 0;
        for (const mention of ids.slice(start, start + rowsAtOnce))
          added += run(
            'INSERT OR IGNORE INTO aggregator_changes (run, what, mention) VALUES (?, ?, ?)',
            ...[id, what, mention],
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
    find: (id) => runs('WHERE id = ?', id)[0],

    async *ids(id, what) {
      for (let after = 0; ;) {
        const some = records.rows(
          ({ seq, mention }) => ({ seq: Number(seq), mention: String(mention) }),
          `SELECT seq, mention FROM aggregator_changes WHERE run = ? AND what = ? AND seq > ? ORDER BY seq LIMIT ${rowsAtOnce}`,
          ...[id, what, after],
        );
        for (const { mention } of some) yield mention;
        const last = some.at(-1);
        if (last === undefined) return;
        after = last.seq;
        await nextTurn();
      }
    },

    async keep({ id, at, imported, total, ...lists }) {
      await records.write(({ run }) =>
        run(
          `INSERT INTO aggregator_runs (id, at, imported, total, updated, removed, missing) VALUES (?, ?, ?, ?, 0, 0, 0)
            ON CONFLICT (id) DO UPDATE SET imported = excluded.imported, total = excluded.total`,
          ...[id, at, imported, total],
        ),
      );
      for (const what of kinds) await add(id, what, lists[what]);
      await prune();
    },

    async clear(id, what) {
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
