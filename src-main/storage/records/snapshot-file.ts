import { closeSync, existsSync, fsyncSync, openSync, readSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from '../sqlite.ts';
import { damagedError } from '../storage-error.ts';
import { isWhole, openUnchanged } from './records-file.ts';

/** The space that a copy must leave on the disk, for what Porchlight saves meanwhile, in bytes. */
const reserveBytes = 1024 * 1024;
const chunkBytes = 1024 * 1024;

/**
 * Writes a copy of a database to the file `to`, which must not exist, and syncs it. Checks the database before and the
 * copy after that, so that damage never replaces a good copy. Returns false if the file `newest` is the same copy. For a
 * worker: takes time that grows with the data, but commits go on meanwhile.
 * @throws an error with the code ENOSPC if the disk has too little room, or with SQLite's code for a damaged database
 */
export function copyWhole(database: Database, { to, newest }: { to: string; newest: string }): boolean {
  mustHaveRoom(database, dirname(to));
  if (!isWhole(database)) throw damagedError('The database is damaged.');
  // SQLite accepts an empty file, and would create a file that others may read.
  closeSync(openSync(to, 'wx', 0o600));
  database.prepare('VACUUM INTO ?').run(to);
  const copy = openUnchanged(to);
  try {
    if (!isWhole(copy)) throw new Error('The copy of the database is damaged.');
  } finally {
    copy.close();
  }
  if (existsSync(newest) && isSame(to, newest)) return false;
  const handle = openSync(to, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return true;
}

function mustHaveRoom(database: Database, dir: string): void {
  const { bytes } = database
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number };
  const { bavail, bsize } = statfsSync(dir);
  if (bavail * bsize < bytes + reserveBytes)
    throw Object.assign(new Error('The disk has no room for a copy of the database.'), { code: 'ENOSPC' });
}

/** Returns whether two files have the same content. A copy of an unchanged database is the same, byte for byte. */
function isSame(one: string, other: string): boolean {
  const { size } = statSync(one);
  if (size !== statSync(other).size) return false;
  const handles = [openSync(one, 'r'), openSync(other, 'r')];
  try {
    for (let at = 0; at < size; at += chunkBytes) {
      const [first, second] = handles.map((handle) => {
        const chunk = Buffer.alloc(Math.min(chunkBytes, size - at));
        readSync(handle, chunk, 0, chunk.length, at);
        return chunk;
      });
      if (first === undefined || second?.equals(first) !== true) return false;
    }
    return true;
  } finally {
    handles.forEach(closeSync);
  }
}
