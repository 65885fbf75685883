import { constants, copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { closed, Maybe, Moment } from '../../contract/shapes.ts';
import { nodeOperations } from '../file-operations.ts';
import { readJson } from '../json-file.ts';
import { isFolder } from '../presence.ts';
import { isValid } from '../schema-check.ts';
import { errorCode } from '../storage-error.ts';
import { isAccess, staysHere } from './kept-paths.ts';

/**
 * A restore that is ready, and takes the place of the data at the next start.
 *
 * The steps, each of which may be cut short by a kill and is then done again:
 * `ready`: the new data lies beside, and gets what this computer keeps (`keepTrust`). `out`: what is here moves into the folder that keeps it. `in`: the new data moves
 * in. `secrets`: the keys that came with it are put where keys are kept. Then the note is removed.
 */
const Pending = closed({
  porchlightRestore: Type.Literal(1),
  step: Type.Union([Type.Literal('ready'), Type.Literal('out'), Type.Literal('in'), Type.Literal('secrets')]),
  /** Folders beside the data folder. */
  staged: Type.String({ minLength: 1 }),
  kept: Type.String({ minLength: 1 }),
  me: Maybe(),
  madeAt: Moment,
  /**
   * Whose list of signed-in apps counts. This computer's: what the owner ended since the backup stays ended. The
   * backup's: only where it brings another computer's keys, and the owner accepted its apps.
   */
  access: Type.Union([Type.Literal('here'), Type.Literal('backup')]),
  /** The changes of trust, reach and privacy that the owner accepted, by their names. */
  accept: Type.Array(Type.String()),
  /** The names of the secrets that wait where secrets are kept. */
  secrets: Type.Array(Type.String()),
});
export type Pending = Static<typeof Pending>;

/** The note beside the data folder. */
const pendingFile = (dataDir: string) => `${resolve(dataDir)}.restore.json`;
/** Where the new data waits. */
export const stagedFolder = (dataDir: string) => `${resolve(dataDir)}.restore-waiting`;

/** The restore that waits; undefined where there is none. */
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

/** On disk when it resolves. */
export async function writePending(
  dataDir: string,
  pending: Omit<Pending, 'porchlightRestore' | 'accept' | 'secrets'> & {
    readonly accept: readonly string[];
    readonly secrets: readonly string[];
  },
): Promise<void> {
  const file = pendingFile(dataDir);
  const temporary = `${file}.tmp`;
  await nodeOperations.write(temporary, `${JSON.stringify({ porchlightRestore: 1, ...pending }, null, 2)}\n`);
  await nodeOperations.rename(temporary, file);
  await nodeOperations.syncFolder(join(file, '..'));
}

/** Cancels what waits. Safe at any time before it has begun. @throws PorchlightError `restore_underway`. */
export async function dropPending(dataDir: string): Promise<void> {
  const pending = await readPending(dataDir);
  if (pending && pending.step !== 'ready')
    throw new PorchlightError(
      'restore_underway',
      'The restore has already begun. It finishes when Porchlight restarts.',
      409,
    );
  await nodeOperations.remove(pendingFile(dataDir));
  await nodeOperations.syncFolder(join(pendingFile(dataDir), '..'));
  await rm(stagedFolder(dataDir), { recursive: true, force: true });
}

/** What came of a restore that waited. `lost`: its data was gone, so that of before stays. */
export interface Taken {
  readonly outcome: 'restored' | 'lost';
  readonly pending: Pending;
}

/**
 * At a start, with the folder's lock held and before anything is opened: puts a restore that waits in its place.
 * Answers it as long as its secrets wait; `finishPending` ends it. Undefined where there is none.
 * `keepTrust`: gives the new data what this computer keeps of its own, before any of it takes its place. It may be
 * called again after a kill.
 * @throws PorchlightError `restore_stuck` where a folder can't be moved: both are named, nothing is lost.
 */
export async function takePending(
  dataDir: string,
  keepTrust: (pending: Pending) => Promise<void>,
): Promise<Taken | undefined> {
  let pending = await readPending(dataDir);
  if (pending === undefined) {
    // Unpacked, but never said to be ready: a kill came in between.
    await rm(stagedFolder(dataDir), { recursive: true, force: true });
    return undefined;
  }
  try {
    if (pending.step === 'ready') {
      // Somebody tidied up: an empty house would take the place of the data.
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

/** The end of a restore: its secrets are in their place, or forgotten. */
export async function finishPending(dataDir: string): Promise<void> {
  await nodeOperations.remove(pendingFile(dataDir));
  await nodeOperations.syncFolder(join(pendingFile(dataDir), '..'));
}

async function goTo(dataDir: string, pending: Pending, step: Pending['step']): Promise<Pending> {
  const next = { ...pending, step };
  await writePending(dataDir, next);
  return next;
}

/** What is not moved: what belongs to this computer, and who is signed in where that is this computer's to say. */
const staysWith =
  ({ access }: Pending) =>
  (name: string) =>
    staysHere(name) || (access === 'here' && isAccess(name));

async function moveAll(from: string, to: string, stays: (name: string) => boolean): Promise<void> {
  for (const name of await namesIn(from)) if (!stays(name)) await rename(join(from, name), join(to, name));
  await nodeOperations.syncFolder(to);
  await nodeOperations.syncFolder(from).catch(() => undefined);
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** What stays in use, secrets in a file and who is signed in, is kept with the data it belongs to as well. */
async function keepCopies(dataDir: string, kept: string): Promise<void> {
  for (const name of ['secrets.json', 'grants.json', 'grants-ended.jsonl']) {
    try {
      await copyFile(join(dataDir, name), join(kept, name), constants.COPYFILE_EXCL);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EEXIST') throw error;
    }
  }
}
