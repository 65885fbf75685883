import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { errorCode, readFailure } from '../storage/storage-error.ts';
import { contentOf, notAnArchive, type Archive } from './archive.ts';
import { folderFiles } from './archive-folder.ts';
import { zipFiles } from './archive-zip.ts';

/**
 * Opens the archive at a path. Called in the thread that reads archives (archive-worker.ts).
 * @throws PorchlightError `not_found`, `archive_unknown`, `archive_broken`, `storage_unreadable`
 */
export async function openArchive(path: string): Promise<Archive> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return await folderFiles(path);
    // Refuses named pipes, because opening one would wait until another process writes to it.
    if (!found.isFile()) throw notAnArchive();
    const start = await startOf(path);
    if (start.startsWith('PK')) return await zipFiles(path, found.size);
    if (start.startsWith('\x1f\x8b'))
      throw notAnArchive('Unpack the .tar.gz file first, and choose the folder.');
    const name = basename(path);
    const file = {
      ...{ path: name, bytes: found.size },
      content: () => contentOf(name, () => createReadStream(path)),
    };
    return { files: new Map([[name, file]]), refused: [], close: () => undefined };
  } catch (error) {
    if (error instanceof PorchlightError) throw error;
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR')
      throw new PorchlightError('not_found', `“${path}” doesn’t exist.`, 404);
    throw readFailure(path, error);
  }
}

async function startOf(path: string): Promise<string> {
  for await (const chunk of createReadStream(path, { end: 3 })) return (chunk as Buffer).toString('latin1');
  return '';
}
