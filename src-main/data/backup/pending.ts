import { constants, copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Static, Type } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { choice, closed, Maybe, Moment } from '../../contract/shapes.ts';
import { nodeOperations, renamePatiently } from '../../storage/file-operations.ts';
import { isFolder, namesIn } from '../../storage/file-facts.ts';
import { jsonText, putFile, readJson } from '../../storage/file-content.ts';
import { momentOfName, nameOfMoment, staysHere } from '../../storage/kept-paths.ts';
import { isValid } from '../../storage/schema-check.ts';
import { errorCode } from '../../storage/storage-error.ts';

/**
 * The record of a pending restore. At the next start, the restore replaces the current data with the data from the
 * backup, in four steps. `ready`: `keepTrust` copies the data that a restore must not change into the folder `staged`,
 * which holds the new data. `out`: the current data moves to the folder `kept`. `in`: the new data moves into the data
 * folder. `secrets`: the backup's secrets are stored. If the process is killed during a step, the next start repeats
 * that step. After the last step, the record is removed.
 */
const Pending = closed({
  porchlightRestore: Type.Literal(1),
  step: choice('ready', 'out', 'in', 'secrets'),
  /** The paths of two folders beside the data folder: `staged` for the new data, and `kept` for the replaced data. */
  staged: Type.String({ minLength: 1 }),
  kept: Type.String({ minLength: 1 }),
  me: Maybe(),
  madeAt: Moment,
  /** What the backup contains. Absent in records of older versions. */
  counts: Type.Optional(closed({ posts: Type.Integer(), files: Type.Integer(), mentions: Type.Integer() })),
  /**
   * Which list of signed-in apps is used after the restore. `here`: this computer's list, so apps that the owner has
   * signed out since the backup stay signed out. `backup`: the list from the backup. It is used only if the backup
   * contains another computer's keys and the owner accepted the apps in the backup.
   */
  access: choice('here', 'backup'),
  /** The names of the settings about trust, reachability and privacy that the owner allowed the backup to change. */
  accept: Type.Array(Type.String()),
  /**
   * The names of the secrets that the owner accepted from the backup. Until the restore, the secret store keeps these
   * secrets beside the secrets in use.
   */
  secrets: Type.Array(Type.String()),
});
export type Pending = Static<typeof Pending>;

/** Returns the path of the file that records the pending restore. It is beside the data folder. */
const pendingFile = (dataDir: string) => `${resolve(dataDir)}.restore.json`;
/** Returns the path of the folder that contains the new data until the restore. */
export const stagedFolder = (dataDir: string) => `${resolve(dataDir)}.restore-waiting`;

/**
 * Returns the pending restore; undefined if there is none.
 * @throws PorchlightError `restore_broken`
 */
export async function readPending(dataDir: string): Promise<Pending | undefined> {
  const file = pendingFile(dataDir);
  const found = await readJson(file, 'note', nodeOperations);
  if (found.state === 'missing') return undefined;
  if (found.state === 'whole' && isValid(Pending, found.value)) return found.value;
  throw new PorchlightError(
    'restore_broken',
    `A restore is waiting, but Porchlight can’t read “${file}”. Remove that file to continue with your current data.`,
    500,
  );
}

/** Writes the file that records a pending restore. The file is on disk when the promise resolves. */
export const writePending = (dataDir: string, pending: Omit<Pending, 'porchlightRestore'>): Promise<void> =>
  putFile(pendingFile(dataDir), jsonText({ porchlightRestore: 1, ...pending }));

/**
 * Cancels the pending restore.
 * @throws PorchlightError `restore_underway` once the restore has begun, because cancelling is no longer safe.
 */
export async function dropPending(dataDir: string): Promise<void> {
  const pending = await readPending(dataDir);
  if (pending && pending.step !== 'ready')
    throw new PorchlightError(
      'restore_underway',
      'The restore has already begun. It finishes when Porchlight restarts.',
      409,
    );
  await finishPending(dataDir);
  await rm(stagedFolder(dataDir), { recursive: true, force: true });
}

/** The result of a pending restore. `lost`: the unpacked backup no longer exists, so the current data stays in use. */
export interface RestoreResult {
  readonly outcome: 'restored' | 'lost';
  readonly pending: Pending;
}

/**
 * Carries out a pending restore. Called at startup, after the data folder has been locked and before any data is
 * opened. Returns undefined if no restore is pending. Returns the same restore at each start until `finishPending` is
 * called. `keepTrust` copies the data that a restore must not change from the current data to the new data. It is
 * called before the new data replaces the current data. If the process is killed, the next start may call `keepTrust`
 * again.
 * @throws PorchlightError `restore_stuck` if a folder can't be moved. The message names the folders, and nothing is
 * lost.
 */
export async function takePending(
  dataDir: string,
  keepTrust: (pending: Pending) => Promise<void>,
): Promise<RestoreResult | undefined> {
  let pending = await readPending(dataDir);
  if (pending === undefined) {
    // If the process was killed between unpacking a backup and recording the restore, remove the unpacked data.
    await rm(stagedFolder(dataDir), { recursive: true, force: true });
    return undefined;
  }
  try {
    if (pending.step === 'ready') {
      // Somebody deleted the new data. If the restore continued, it would replace the current data with nothing.
      if (!(await isFolder(pending.staged))) return { outcome: 'lost', pending };
      await keepTrust(pending);
      await mkdir(pending.kept, { recursive: true, mode: 0o700 });
      pending = await goTo(dataDir, pending, 'out');
    }
    if (pending.step === 'out') {
      await moveAll(dataDir, pending.kept);
      await keepSecrets(dataDir, pending.kept);
      pending = await goTo(dataDir, pending, 'in');
    }
    if (pending.step === 'in') {
      await moveAll(pending.staged, dataDir);
      await rm(pending.staged, { recursive: true, force: true });
      pending = await goTo(dataDir, pending, 'secrets');
    }
    return { outcome: 'restored', pending };
  } catch (cause) {
    const { staged, kept } = pending;
    throw new PorchlightError(
      'restore_stuck',
      `Porchlight couldn’t finish the restore (${errorCode(cause) ?? String(cause)}). Nothing is lost: the new data is in “${staged}”, what was here in “${kept}” and “${dataDir}”. Restart Porchlight to continue.`,
      500,
      { cause },
    );
  }
}

/** Ends a restore by removing its record. Called once the backup's secrets are stored or discarded. */
export async function finishPending(dataDir: string): Promise<void> {
  await nodeOperations.remove(pendingFile(dataDir));
  await nodeOperations.syncFolder(dirname(pendingFile(dataDir)));
}

async function goTo(dataDir: string, pending: Pending, step: Pending['step']): Promise<Pending> {
  const next = { ...pending, step };
  await writePending(dataDir, next);
  return next;
}

async function moveAll(from: string, to: string): Promise<void> {
  for (const name of await namesIn(from))
    if (!staysHere(name)) await renamePatiently(join(from, name), join(to, name));
  await nodeOperations.syncFolder(to);
  await nodeOperations.syncFolder(from).catch(() => undefined);
}

/** Copies the secrets file to the folder `kept`, which holds the replaced data. The original stays in use. */
async function keepSecrets(dataDir: string, kept: string): Promise<void> {
  const name = 'secrets.json';
  try {
    await copyFile(join(dataDir, name), join(kept, name), constants.COPYFILE_EXCL);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EEXIST') throw error;
  }
}

/** How many folders with replaced data to keep. Each restore creates such a folder. Older folders are deleted. */
const mostKept = 2;

/**
 * Returns the path of the folder in which a restore keeps the data that it replaces. `now`: the time at which the
 * restore is scheduled, in ms.
 */
export function leftoverPath(dataDir: string, now: number): string {
  return `${resolve(dataDir)}.before-restore-${nameOfMoment(now)}`;
}

/**
 * Lists the folders in which restores kept the data that they replaced, newest first. These folders are beside the data
 * folder.
 */
export async function leftoversOf(dataDir: string) {
  const start = `${basename(resolve(dataDir))}.before-restore-`;
  const entries = await readdir(dirname(resolve(dataDir)), { withFileTypes: true });
  const found = entries.flatMap((entry) => {
    if (!entry.isDirectory() || !entry.name.startsWith(start)) return [];
    const at = momentOfName(entry.name.slice(start.length));
    if (Number.isNaN(at)) return [];
    return { name: entry.name, replacedAt: new Date(at).toISOString() };
  });
  return found.sort((a, b) => b.replacedAt.localeCompare(a.replacedAt));
}

/**
 * Deletes the folder `name`, in which a restore kept the data that it replaced.
 * @throws PorchlightError `not_found` if no such folder exists, `restart_needed` if that restore isn't finished.
 */
export async function deleteLeftover(dataDir: string, name: string): Promise<void> {
  if (!(await leftoversOf(dataDir)).some((one) => one.name === name))
    throw new PorchlightError('not_found', 'This copy is no longer there.', 404);
  const pending = await readPending(dataDir);
  if (pending && basename(pending.kept) === name)
    throw new PorchlightError('restart_needed', 'The restore isn’t finished. Restart Porchlight first.', 409);
  await rm(join(dirname(resolve(dataDir)), name), { recursive: true, force: true });
}

/** Deletes all folders with replaced data except the newest two. Does nothing while a restore is pending. */
export async function sweepLeftovers(dataDir: string): Promise<void> {
  if (await readPending(dataDir)) return;
  for (const { name } of (await leftoversOf(dataDir)).slice(mostKept)) await deleteLeftover(dataDir, name);
}
