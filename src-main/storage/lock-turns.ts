import { randomUUID } from 'node:crypto';
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import { nodeOperations } from './file-operations.ts';
import { verifiedRoot } from './held-folders.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { isValid } from './schema-check.ts';
import { errorCode } from './storage-error.ts';

// The numbered files of a lock folder (see folder-lock.ts). They need no sync: a power cut ends every process that they
// could name.

const Holder = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  started: Type.Union([Type.String(), Type.Null()]),
});

/** What a new turn says: which process made it, and a random id that no other lock file has. */
export type Claim = ProcessIdentity & { readonly id: string };

const nameOf = (turn: number) => `${turn}.json`;

/** Returns the path of a turn. */
export const turnFile = (locks: string, turn: number) => join(locks, nameOf(turn));

/** Returns the highest turn in the folder, 0 if there is none. */
export async function highestTurn(locks: string): Promise<number> {
  const names = await readdir(locks);
  return Math.max(0, ...names.map((name) => Number(/^(\d{1,15})\.json$/.exec(name)?.[1] ?? 0)));
}

/** Returns who made a turn; null if it was released, or if a power cut left nothing in it. */
export async function turnHolder(locks: string, turn: number): Promise<ProcessIdentity | null> {
  for (let look = 1; ; look += 1) {
    const text = await textOf(turnFile(locks, turn));
    // On a file system without hard links a turn is empty for the moment in which it is made.
    if (text !== '' || look === 5) return parseHolder(text);
    await pause(20);
  }
}

/** Makes a turn, complete at once. Returns false if another process was first. */
export async function claimTurn(locks: string, turn: number, claim: Claim): Promise<boolean> {
  const draft = await writeDraft(locks, claim);
  try {
    await nodeOperations.duplicate(draft, turnFile(locks, turn));
    return true;
  } catch (error) {
    // ENOENT: the one who got the lock has tidied the draft away.
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOENT') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Gives up a turn that a higher one stands above. */
export async function withdrawTurn(locks: string, turn: number): Promise<void> {
  await rm(turnFile(locks, turn), { force: true });
}

/** For the one who has the lock: removes what ended processes left. */
export async function keepOnly(locks: string, turn: number): Promise<void> {
  const names = await readdir(locks);
  const others = names.filter((name) => name !== nameOf(turn) && /^(\d+\.json|.+\.draft)$/.test(name));
  await Promise.all(others.map((name) => rm(join(locks, name), { force: true })));
}

/** Marks a turn as released. It stays, because the highest one must. Another folder in its place is not touched. */
export async function freeTurn(locks: string, turn: number): Promise<void> {
  try {
    verifiedRoot(locks);
    await rename(await writeDraft(locks, { released: true }), turnFile(locks, turn));
  } catch {
    // A full disk or a folder that is gone must not stop the way out; the turn ends with its process.
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
    // Only a turn with a higher one above it is removed; the claim that follows will find that one.
    if (errorCode(error) === 'ENOENT') return '{}';
    throw error;
  }
}

function parseHolder(text: string): ProcessIdentity | null {
  try {
    const value: unknown = JSON.parse(text);
    return isValid(Holder, value) ? value : null;
  } catch {
    return null;
  }
}
