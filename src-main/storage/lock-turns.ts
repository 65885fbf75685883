import { randomUUID } from 'node:crypto';
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import { nodeOperations } from './file-operations.ts';
import { verifiedRoot } from './held-folders.ts';
import { isThere } from './presence.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { isValid } from './schema-check.ts';
import { errorCode } from './storage-error.ts';
import { jsonIn } from './json-value.ts';

// Functions for the numbered files of a lock folder, called turns (see folder-lock.ts). A turn need not be synced to
// disk, because its process doesn't survive a power cut either.

const Holder = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  started: Type.Union([Type.String(), Type.Null()]),
});

/** The content of a new turn: the process that created the turn, and a random id that no other lock file has. */
export type Claim = ProcessIdentity & { readonly id: string };

const nameOf = (turn: number) => `${turn}.json`;

/** Returns the path of a turn's file. */
export const turnFile = (locks: string, turn: number) => join(locks, nameOf(turn));

/** Returns the number of the highest turn in the folder; 0 if there is none. */
export async function highestTurn(locks: string): Promise<number> {
  const names = await readdir(locks);
  return Math.max(0, ...names.map((name) => Number(/^(\d{1,15})\.json$/.exec(name)?.[1] ?? 0)));
}

/**
 * The content of a turn's file once its process has released the lock. (A turn is a numbered file in the lock folder.)
 */
const Released = Type.Object({ released: Type.Literal(true) });

/**
 * Returns the process that created a turn, or `released` if it has released the lock. Returns null if the turn is
 * missing or damaged, or still empty after several attempts. (A power cut can leave an empty turn.)
 */
export async function turnHolder(locks: string, turn: number): Promise<ProcessIdentity | 'released' | null> {
  for (let look = 1; ; look += 1) {
    const text = await textOf(turnFile(locks, turn));
    // On file systems without hard links, creating a turn's file takes two steps, and the file is empty in between.
    if (text !== '' || look === 5) {
      const value = jsonIn(text);
      if (isValid(Holder, value)) return value;
      return isValid(Released, value) ? 'released' : null;
    }
    await pause(20);
  }
}

/** Creates the file of a turn, with its content, in one step. Returns false if another process was first. */
export async function claimTurn(locks: string, turn: number, claim: Claim): Promise<boolean> {
  const draft = await writeDraft(locks, claim);
  try {
    await nodeOperations.duplicate(draft, turnFile(locks, turn));
    return true;
  } catch (error) {
    // ENOENT: the process that got the lock has removed this process's temporary file.
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOENT') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

const endingFile = (locks: string, turn: number) => join(locks, `${turn}.ending`);

/** Records that the process of a turn was asked to end. Never fails, because nothing may keep Porchlight from exiting. */
export async function markEnding(locks: string, turn: number): Promise<void> {
  try {
    verifiedRoot(locks);
    await writeFile(endingFile(locks, turn), '', { mode: 0o600 });
  } catch {
    // A full disk or a missing folder. If this process is then killed, the next start reports a crash.
  }
}

/** Returns whether the process of a turn was asked to end. */
export const wasEnding = (locks: string, turn: number) => isThere(endingFile(locks, turn));

/**
 * Removes the files of ended processes from the lock folder. Only the process that has the lock may call this
 * function.
 */
export async function keepOnly(locks: string, turn: number): Promise<void> {
  const names = await readdir(locks);
  const others = names.filter(
    (name) => name !== nameOf(turn) && /^(\d+\.(json|ending)|.+\.draft)$/.test(name),
  );
  await Promise.all(others.map((name) => rm(join(locks, name), { force: true })));
}

/**
 * Releases the lock by marking its turn. The turn isn't removed, because the highest turn must stay. Does nothing if
 * another folder is at the data folder's path.
 */
export async function freeTurn(locks: string, turn: number): Promise<void> {
  try {
    verifiedRoot(locks);
    await rename(await writeDraft(locks, { released: true }), turnFile(locks, turn));
  } catch {
    // A full disk or a missing folder must not keep Porchlight from exiting. The lock counts as released once this
    // process has ended.
  }
}

async function writeDraft(locks: string, content: object): Promise<string> {
  const draft = join(locks, `${randomUUID()}.draft`);
  await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' });
  return draft;
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    // A turn is removed only if there is a higher turn. The caller finds the higher turn when it tries to get the lock.
    if (errorCode(error) === 'ENOENT') return '{}';
    throw error;
  }
}
