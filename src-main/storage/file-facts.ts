import { type BigIntStats, existsSync, statSync, createReadStream } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { verified } from './held-folders.ts';
import { errorCode, readFailure } from './storage-error.ts';
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';

/**
 * Returns whether a folder exists.
 * @throws PorchlightError `storage_unreadable` if the system can't tell. Such a folder must not count as missing.
 */
export async function isFolder(path: string): Promise<boolean> {
  return (await found(path, stat))?.isDirectory() ?? false;
}

/**
 * Returns whether anything exists at a path.
 * @throws PorchlightError as isFolder does.
 */
export async function isThere(path: string): Promise<boolean> {
  return (await found(path, lstat)) !== undefined;
}

async function found(path: string, read: typeof stat | typeof lstat) {
  try {
    return await verified(path, () => read(path));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw readFailure(path, error);
  }
}

/** Returns whether a folder contains data that Porchlight has written. */
export const containsData = (dir: string): boolean =>
  ['records.sqlite', 'settings.json', 'posts', 'media'].some((name) => existsSync(join(dir, name)));

/**
 * Returns the names in a folder; an empty list if the folder doesn't exist.
 * @throws the PorchlightError that readFailure returns
 */
export async function namesIn(dir: string): Promise<string[]> {
  try {
    return await verified(dir, () => readdir(dir));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw readFailure(dir, error);
  }
}

/**
 * Returns the months (such as `2026/11`) that have a folder in `dir`, newest first. `dir` contains one subfolder per
 * year.
 * @throws the PorchlightError that readFailure returns
 */
export async function monthsIn(dir: string): Promise<string[]> {
  const months: string[] = [];
  for (const year of await namesIn(dir)) {
    if (!/^\d{4}$/.test(year)) continue;
    for (const name of await namesIn(join(dir, year))) {
      if (/^(?:0[1-9]|1[0-2])$/.test(name)) months.push(`${year}/${name}`);
    }
  }
  return months.sort().reverse();
}

/**
 * Returns a string that identifies the version of a file. The string changes with every write. Returns an empty string
 * if there is no file.
 */
export async function stampOf(file: string): Promise<string> {
  try {
    return stampOfStats(await stat(file, { bigint: true }));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/**
 * Returns the same as `stampOf`, without the thread that an asynchronous read takes. Only for files in the data folder,
 * which are as near as its lock file (see `verified`).
 */
export function stampNow(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '' : stampOfStats(stats);
}

/** Returns the string that identifies the version of a file with these stats. */
const stampOfStats = ({ size, mtimeNs, ino }: BigIntStats): string => `${size} ${mtimeNs} ${ino}`;

/** Returns the SHA-256 of a text or buffer, in hex. */
export const sha256 = (content: Buffer | string): string =>
  createHash('sha256').update(content).digest('hex');

/**
 * Returns the SHA-256 of a file, in hex, without loading the whole file into memory.
 * @throws the system's error if the file can't be read
 */
export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
