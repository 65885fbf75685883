import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { readPending } from './pending.ts';

/** How many copies of data that restores replaced are kept. */
const mostKept = 2;

/** Returns where a restore at the time `now` (ms) keeps the data that it replaces. */
export function leftoverPath(dataDir: string, now: number): string {
  return `${resolve(dataDir)}.before-restore-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}`;
}

/** Returns the names of the folders beside the data that restores left there, newest first. */
export async function leftoversOf(dataDir: string): Promise<string[]> {
  const start = `${basename(resolve(dataDir))}.before-restore-`;
  const entries = await readdir(dirname(resolve(dataDir)), { withFileTypes: true });
  const isOne = (name: string) =>
    name.startsWith(start) && /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d$/.test(name.slice(start.length));
  const names = entries.filter((entry) => entry.isDirectory() && isOne(entry.name)).map(({ name }) => name);
  return names.sort().reverse();
}

/**
 * Deletes a folder that a restore left, by its name.
 * @throws PorchlightError `not_found` if there is none, `busy` while the restore isn't finished.
 */
export async function deleteLeftover(dataDir: string, name: string): Promise<void> {
  if (!(await leftoversOf(dataDir)).includes(name))
    throw new PorchlightError('not_found', 'This copy is no longer there.', 404);
  const pending = await readPending(dataDir);
  if (pending && basename(pending.kept) === name)
    throw new PorchlightError('busy', 'The restore isn’t finished. Restart Porchlight first.', 409);
  await rm(join(dirname(resolve(dataDir)), name), { recursive: true, force: true });
}

/** Deletes all but the newest two. Does nothing while a restore waits. */
export async function sweepLeftovers(dataDir: string): Promise<void> {
  if (await readPending(dataDir)) return;
  for (const name of (await leftoversOf(dataDir)).slice(mostKept)) await deleteLeftover(dataDir, name);
}
