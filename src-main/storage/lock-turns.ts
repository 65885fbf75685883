import { randomUUID } from 'node:crypto';
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import { nodeOperations } from './file-operations.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { isValid } from './schema-check.ts';
import { errorCode } from './storage-error.ts';

// The numbered files of a lock folder (folder-lock.ts says what they are for). They need no sync: a power cut ends
// every process that they could name.

const Holder = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  started: Type.Union([Type.String(), Type.Null()]),
});

const nameOf = (turn: number) => `${turn}.json`;

/** The highest turn in the folder, 0 where there is none. */
export async function highestTurn(locks: string): Promise<number> {
  const names = await readdir(locks);
  return Math.max(0, ...names.map((name) => Number(/^(\d{1,15})\.json$/.exec(name)?.[1] ?? 0)));
}

/** Who made a turn; null where it was released, or a power cut left nothing in it. */
export async function turnHolder(locks: string, turn: number): Promise<ProcessIdentity | null> {
  for (let look = 1; ; look += 1) {
    const text = await textOf(join(locks, nameOf(turn)));
    // On a file system without hard links a turn is empty for the moment in which it is made.
    if (text !== '' || look === 5) return parseHolder(text);
    await pause(20);
  }
}

/** Makes a turn, complete at once; false where another process was first. */
export async function claimTurn(locks: string, turn: number, holder: ProcessIdentity): Promise<boolean> {
  const draft = await writeDraft(locks, holder);
  try {
    await nodeOperations.duplicate(draft, join(locks, nameOf(turn)));
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
  await rm(join(locks, nameOf(turn)), { force: true });
}

/** For the one who has the lock: removes what ended processes left. */
export async function keepOnly(locks: string, turn: number): Promise<void> {
  const names = await readdir(locks);
  const others = names.filter((name) => name !== nameOf(turn) && /^(\d+\.json|.+\.draft)$/.test(name));
  await Promise.all(others.map((name) => rm(join(locks, name), { force: true })));
}

/** Marks a turn as released. It stays, because the highest one must. */
export async function freeTurn(locks: string, turn: number): Promise<void> {
  try {
    await rename(await writeDraft(locks, { released: true }), join(locks, nameOf(turn)));
  } catch {
    // A full disk or a removed folder must not stop the way out; the turn ends with its process.
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
