import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeOperations } from './file-operations.ts';

/** The folders that contain documents. Other folders may belong to other programs. */
const ours = new Set(['posts', 'tunnel']);
/** The temporary names of documents (see replace-file.ts). */
const temporary = /\.json(?:\.previous)?\.tmp$/;

/**
 * Removes the documents that a power cut left unfinished. Call it before anything in the data folder is
 * opened, because this function can't tell unfinished files from files that are still being written. Ignores errors,
 * because unfinished files only take up space.
 */
export async function removeUnfinished(dataDir: string, folder = ''): Promise<void> {
  const entries = await readdir(join(dataDir, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && (folder !== '' || ours.has(path))) await removeUnfinished(dataDir, path);
    else if (entry.isFile() && temporary.test(path))
      await nodeOperations.remove(join(dataDir, path)).catch(() => undefined);
  }
}
