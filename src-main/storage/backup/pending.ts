import { constants, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { choice, closed, Maybe, Moment } from '../../contract/shapes.ts';
import { nodeOperations } from '../file-operations.ts';
import { jsonText, readJson } from '../json-file.ts';
import { isFolder } from '../presence.ts';
import { putFile } from '../replace-file.ts';
import { isValid } from '../schema-check.ts';
import { errorCode } from '../storage-error.ts';
import { isAccess, staysHere } from './kept-paths.ts';
import { namesIn } from '../folder-names.ts';

/**
 * A restore that is ready and replaces the data at the next start.
 *
 * If the process is killed during a step, the next start repeats that step. `ready`: the new data is beside the data
 * folder, and gets what this computer keeps (`keepTrust`). `out`: the current data moves to the folder that keeps it.
 * `in`: the new data moves in. `secrets`: the secrets from the backup are stored. After the last step, this note is
 * removed.
 */
const Pending = closed({
  porchlightRestore: Type.Literal(1),
  step: choice('ready', 'out', 'in', 'secrets'),
  /** Folders beside the data folder: the new data, and the data that it replaces. */
  staged: Type.String({ minLength: 1 }),
  kept: Type.String({ minLength: 1 }),
  me: Maybe(),
  madeAt: Moment,
  /**
   * Whose list of signed-in apps is used. `here`: this computer's, so apps that the owner signed out since the backup
   * stay signed out. `backup`: the backup's, only if it brings another computer's keys and the owner accepted its apps.
   */
  access: choice('here', 'backup'),
  /** The names of the changes to trust, reach and privacy that the backup brings and the owner accepted. */
  accept: Type.Array(Type.String()),
  /** The names of the backup's secrets that are waiting in the secret store. */
  secrets: Type.Array(Type.String()),
});
export type Pending = Static<typeof Pending>;

/** Returns the path of the note that records a waiting restore. It is beside the data folder. */
const pendingFile = (dataDir: string) => `${resolve(dataDir)}.restore.json`;
/** Returns the folder in which the new data waits for the restore. */
export const stagedFolder = (dataDir: string) => `${resolve(dataDir)}.restore-waiting`;

/**
 * Returns the waiting restore; undefined if there is none.
 * @throws PorchlightError `restore_broken`
 */
export async function readPending(dataDir: string): Promise<Pending | undefined> {
  const file = pendingFile(dataDir);
  const found = await readJson(file, nodeOperations);
  if (found.state === 'missing') return undefined;
  if (found.state === 'whole' && isValid(Pending, found.value)) return found.value;
  throw new PorchlightError(
    'restore_broken',
    `A restore is waiting, but Porchlight can’t read “${file}”. Remove that file to continue with your current data.`,
    500,
  );
}

/** Writes the note that records a waiting restore. It is on disk when the promise resolves. */
export const writePending = (dataDir: string, pending: Omit<Pending, 'porchlightRestore'>): Promise<void> =>
  putFile(pendingFile(dataDir), jsonText({ porchlightRestore: 1, ...pending }));

/**
 * Cancels the waiting restore.
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

/** The result of a waiting restore. `lost`: the unpacked backup was gone, so the current data stays. */
export interface RestoreResult {
  readonly outcome: 'restored' | 'lost';
  readonly pending: Pending;
}

/**
 * Carries out a waiting restore. Called at startup, with the data folder's lock held and before anything is opened.
 * Returns undefined if no restore is waiting. Until `finishPending` is called, it returns the same restore at each
 * start, because the restore's secrets are still waiting.
 * `keepTrust`: gives the new data what this computer keeps, before the new data replaces the current data. It may be
 * called again if the process was killed.
 * @throws PorchlightError `restore_stuck` if a folder can't be moved. The message names the folders, and nothing is
 * lost.
 */
export async function takePending(
  dataDir: string,
  keepTrust: (pending: Pending) => Promise<void>,
): Promise<RestoreResult | undefined> {
  let pending = await readPending(dataDir);
  if (pending === undefined) {
    // The process was killed after unpacking, but before the restore was recorded as ready.
    await rm(stagedFolder(dataDir), { recursive: true, force: true });
    return undefined;
  }
  try {
    if (pending.step === 'ready') {
      // Somebody deleted the new data. Continuing would replace the data with nothing.
      if (!(await isFolder(pending.staged))) return { outcome: 'lost', pending };
      await keepTrust(pending);
      await mkdir(pending.kept, { recursive: true, mode: 0o700 });
      pending = await goTo(dataDir, pending, 'out');
    }
    if (pending.step === 'out') {
      await moveAll(dataDir, pending.kept, staysWith(pending));
      await keepCopies(dataDir, pending.kept);
      pending = await goTo(dataDir, pending, 'in');
    }
    if (pending.step === 'in') {
      await moveAll(pending.staged, dataDir, staysWith(pending));
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

/** Ends a restore by removing the note. Called once its secrets are stored or discarded. */
export async function finishPending(dataDir: string): Promise<void> {
  await nodeOperations.remove(pendingFile(dataDir));
  await nodeOperations.syncFolder(dirname(pendingFile(dataDir)));
}

async function goTo(dataDir: string, pending: Pending, step: Pending['step']): Promise<Pending> {
  const next = { ...pending, step };
  await writePending(dataDir, next);
  return next;
}

/**
 * Returns a test for names that a restore does not move: those that belong to this computer, and also the lists of
 * signed-in apps if this computer's lists are used.
 */
const staysWith =
  ({ access }: Pending) =>
  (name: string) =>
    staysHere(name) || (access === 'here' && isAccess(name));

async function moveAll(from: string, to: string, stays: (name: string) => boolean): Promise<void> {
  for (const name of await namesIn(from)) if (!stays(name)) await rename(join(from, name), join(to, name));
  await nodeOperations.syncFolder(to);
  await nodeOperations.syncFolder(from).catch(() => undefined);
}

/**
 * Copies the secrets file and the lists of signed-in apps to the folder with the replaced data. These files belong to
 * the replaced data too, but the originals stay in use.
 */
async function keepCopies(dataDir: string, kept: string): Promise<void> {
  for (const name of ['secrets.json', 'grants.json', 'grants-ended.jsonl']) {
    try {
      await copyFile(join(dataDir, name), join(kept, name), constants.COPYFILE_EXCL);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EEXIST') throw error;
    }
  }
}
