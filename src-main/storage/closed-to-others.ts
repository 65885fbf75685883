import { constants, type Stats } from 'node:fs';
import { chmod, open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from '../contract/status.ts';

/** What other users of the computer may do, in a file's mode. */
const others = 0o077;
/** Opens neither a link nor a pipe that nobody writes to. */
const plainly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Takes away what other users of this computer may do in a data folder that was made for all to read, and in all that is
 * in it. A folder that is closed already is not walked: nobody gets past its own mode. Follows no links within it, and
 * does nothing on Windows, where a user's folders are closed by other means. `change`: chmod, for tests.
 * Returns the problem for the owner where the folder stays open. Never rejects for a mode that cannot be changed.
 */
export async function closeToOthers(
  dir: string,
  change: (path: string, mode: number) => Promise<void> = chmod,
): Promise<Problem[]> {
  if (process.platform === 'win32') return [];
  const folder = await realpath(dir);
  const before = await stat(folder);
  if ((before.mode & others) === 0) return [];
  // First, so that nobody else can swap what is in it from here on.
  const error = await change(folder, before.mode & 0o700).catch((reason: unknown) => reason);
  if (error !== undefined || ((await stat(folder)).mode & others) !== 0) return [stillOpen(dir)];
  await closeAllIn(folder);
  return [];
}

async function closeAllIn(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isFile() && !entry.isDirectory()) continue;
    const found = await closeOne(path).catch(() => undefined); // gone, or another user's: the folder above is closed
    if (found?.isDirectory() === true) await closeAllIn(path);
  }
}

/** By the open file, so that a link that takes its place is not followed. */
async function closeOne(path: string): Promise<Stats> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, plainly);
    const found = await handle.stat();
    if ((found.mode & others) !== 0) await handle.chmod(found.mode & 0o700);
    return found;
  } finally {
    await handle?.close();
  }
}

function stillOpen(dir: string): Problem {
  return {
    code: 'folder_open',
    message: `Other users of this computer can open “${dir}”, where your data is, and Porchlight can’t change that. Give access to yourself only (mode 700), or move your data to another folder.`,
  };
}
