import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { momentOfName, nameOfMoment } from '../../storage/kept-paths.ts';
import { readPending } from './pending.ts';

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
