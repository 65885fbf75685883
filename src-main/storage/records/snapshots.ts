import { stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeOperations } from '../file-operations.ts';
import { verified } from '../held-folders.ts';
import { isThere } from '../presence.ts';
import type { RecordsJob } from './records-worker.ts';

/** The newest copy of the database in the data folder. */
const snapshotName = 'records.snapshot.sqlite';
/** The copy before the newest one. */
const previousSnapshotName = 'records.snapshot.previous.sqlite';

/** The copies in a data folder, the newest first. They may be missing. */
export const snapshotsIn = (dir: string): string[] =>
  [snapshotName, previousSnapshotName].map((name) => join(dir, name));

/** Returns when the newest copy of the database was made or found up to date, in ms; undefined if there is none. */
export async function snapshotTime(dir: string): Promise<number | undefined> {
  const file = join(dir, snapshotName);
  return (await isThere(file)) ? (await stat(file)).mtimeMs : undefined;
}

/**
 * Makes a copy of the database, which becomes the newest of two. If the newest copy is up to date, keeps it. If the
 * process is killed in any step, the copies that are there are whole. `run`: runs a job of the database's thread.
 */
export async function takeSnapshot(dir: string, run: (job: RecordsJob) => Promise<boolean>): Promise<void> {
  const [newest, previous] = [join(dir, snapshotName), join(dir, previousSnapshotName)];
  const made = `${newest}.new`;
  await nodeOperations.remove(made);
  try {
    if (await run({ kind: 'snapshot', to: made, newest })) {
      if (await isThere(newest)) await nodeOperations.rename(newest, previous);
      await nodeOperations.rename(made, newest);
      await nodeOperations.syncFolder(dir);
    } else {
      const now = new Date();
      await verified(newest, () => utimes(newest, now, now));
    }
  } finally {
    await nodeOperations.remove(made).catch(() => undefined);
  }
}
