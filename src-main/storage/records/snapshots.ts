import { stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isThere } from '../file-facts.ts';
import { nodeOperations } from '../file-operations.ts';
import { verified } from '../held-folders.ts';
import { columnsOf, readRow, type RecordTable, type Row } from './record-table.ts';
import { openUnchanged } from './records-file.ts';
import type { RecordsJob } from './records-worker.ts';

/** The newest copy of the database in the data folder. */
const snapshotName = 'records.snapshot.sqlite';
/** The newest copy of an earlier day. On the first day, the copy before the newest one. */
const previousSnapshotName = 'records.snapshot.previous.sqlite';
/** How many rows are checked before other work can run. */
const checkedAtOnce = 50;

/** The copies in a data folder, the newest first. They may be missing. */
export const snapshotsIn = (dir: string): string[] =>
  [snapshotName, previousSnapshotName].map((name) => join(dir, name));

/** Returns when the newest copy of the database was made or found up to date, in ms; undefined if there is none. */
export async function snapshotTime(dir: string): Promise<number | undefined> {
  const file = join(dir, snapshotName);
  return (await isThere(file)) ? (await stat(file)).mtimeMs : undefined;
}

interface Taking {
  readonly tables: readonly RecordTable[];
  /** Runs a job of the database's thread. */
  readonly run: (job: RecordsJob) => Promise<boolean>;
}

/**
 * Makes a copy of the database, which becomes the newest of two: the other one is of an earlier day. If the newest copy
 * is up to date, keeps it. If the process is killed in any step, the copies that are there are whole.
 * @throws the errors of `run`; as SQLite does for a damaged database if a row isn't sound
 */
export async function takeSnapshot(dir: string, { tables, run }: Taking): Promise<void> {
  const [newest, previous] = [join(dir, snapshotName), join(dir, previousSnapshotName)];
  const made = `${newest}.new`;
  const now = new Date();
  await nodeOperations.remove(made);
  try {
    if (await run({ kind: 'snapshot', to: made, newest })) {
      await mustBeSound(made, tables);
      const last = await snapshotTime(dir);
      if (last !== undefined && (dayOf(last) !== dayOf(now.getTime()) || !(await isThere(previous))))
        await nodeOperations.rename(newest, previous);
      await nodeOperations.rename(made, newest);
      await nodeOperations.syncFolder(dir);
    } else await verified(newest, () => utimes(newest, now, now));
  } finally {
    await nodeOperations.remove(made).catch(() => undefined);
  }
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Checks each row of a copy, in steps, because a row that can't be read must not replace one that can. */
async function mustBeSound(file: string, tables: readonly RecordTable[]): Promise<void> {
  const database = openUnchanged(file);
  try {
    for (const table of tables) {
      let count = 0;
      const rows = database.prepare(`SELECT ${columnsOf(table).join(', ')} FROM ${table.name}`);
      for (const row of rows.iterate()) {
        readRow(table, row as Row);
        count += 1;
        if (count % checkedAtOnce === 0) await nextTurn();
      }
    }
  } finally {
    database.close();
  }
}
