import { constants, type Stats } from 'node:fs';
import { chmod, open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from '../contract/status.ts';
import { lockName } from './backup/kept-paths.ts';

/** The bits of a file's mode that give access to other users of the computer. */
const others = 0o077;
/** Flags for opening a file without following a symbolic link or waiting for the writer of a named pipe. */
const plainly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Removes other users' access to a data folder and to everything in it. Skips the contents if other users can't open
 * the folder, because the folder's mode protects them. Follows no links inside the folder. Does nothing on Windows,
 * which protects users' folders by other means. `change`: chmod, replaceable for tests. Returns a problem to show to
 * the owner if other users can still open the folder. Doesn't reject if a mode can't be changed.
 */
export async function closeToOthers(
  dir: string,
  change: (path: string, mode: number) => Promise<void> = chmod,
): Promise<Problem[]> {
  if (process.platform === 'win32') return [];
  const folder = await realpath(dir);
  const before = await stat(folder);
  if ((before.mode & others) === 0) return [];
  // Remove other users' access to the folder first, so that they can't replace its contents while access to the files
  // in it is removed.
  const error = await change(folder, before.mode & 0o700).catch((reason: unknown) => reason);
  if (error !== undefined || ((await stat(folder)).mode & others) !== 0) return [stillOpen(dir)];
  await closeAllIn(folder);
  return [];
}

async function closeAllIn(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isFile() && !entry.isDirectory()) continue;
    // Opening and closing the lock's file would drop the lock. lockFolder has closed it to others.
    if (entry.name === lockName) continue;
    const found = await closeOne(path).catch(() => undefined); // on failure, the folder's mode keeps others out
    if (found?.isDirectory() === true) await closeAllIn(path);
  }
}

/**
 * Removes other users' access to a file or folder. Uses an open handle, so that it doesn't follow a link that somebody
 * puts at the path in the meantime.
 */
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
