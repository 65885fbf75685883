import type { MessagePort } from 'node:worker_threads';
import type { Settings } from '../contract/settings.ts';
import { describeBackup, unpackBackup } from '../data/backup/backup.ts';
import { appsSignedIn } from '../sign-in/grant.ts';
import { goOn, type LongTask } from '../storage/pacing.ts';
import { restoreRowSecrets, type RowSecrets } from '../storage/records/closed-records.ts';
import { systemWriteFailure } from '../storage/storage-error.ts';
import { limited } from '../untrusted/serve-jobs.ts';
import { withPort } from '../untrusted/work-port.ts';
import { proveFolder } from './check.ts';
import { restoreChanges } from './restoring.ts';
import { recordTables } from './tables.ts';

/**
 * The jobs of the thread that reads backups (backup-reading.ts). Anybody may have made a backup, so all of it is read
 * here: the directory of the zip, the list of its files, the files, and the data that they contain.
 */
export const jobs = limited({
  describe: ({ file }: { file: string }) => describeBackup(file),

  unpack: ({ file, dir, port }: { file: string; dir: string; port: MessagePort }) =>
    withPort(port, (work) => unpackBackup(file, dir, work)),

  prove: ({ dir, now, port }: { dir: string; now: number; port: MessagePort }) =>
    withPort(port, ({ signal }) =>
      inFolder(
        dir,
        proveFolder(dir, () => now, signal),
      ),
    ),

  /** Puts the backup's secrets into its rows, and compares the unpacked backup with the data folder. */
  compare: ({ port, ...compared }: Compared & { port: MessagePort }) =>
    withPort(port, (work) => inFolder(compared.there, comparison(compared, work))),
});
export type BackupJobs = typeof jobs;

async function comparison({ there, here: dataDir, settings, rows, now }: Compared, work: LongTask) {
  const left = await restoreRowSecrets(there, recordTables, rows);
  const throwIfAborted = () => goOn(work);
  const changes = await restoreChanges(there, { dataDir, settings, throwIfAborted });
  const apps = { here: await appsSignedIn(dataDir, now), there: await appsSignedIn(there, now) };
  return { left, changes, apps };
}

/** Converts an error of the disk, while it still has its code, to one with a message for the owner. */
async function inFolder<T>(dir: string, working: Promise<T>): Promise<T> {
  try {
    return await working;
  } catch (error) {
    throw systemWriteFailure(dir, error);
  }
}

/**
 * What is compared. `there`: the path of the unpacked backup. `here`: the data folder, and `settings` those in use.
 * `rows`: the secrets in the backup's rows. `now`: the time in ms.
 */
interface Compared {
  readonly there: string;
  readonly here: string;
  readonly settings: Settings;
  readonly rows: RowSecrets;
  readonly now: number;
}
