import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { codeCacheName, lockName } from './kept-paths.ts';

/** The bits of a file's mode that give access to other users. */
const others = 0o077;

/**
 * Makes Node store compiled code in the data folder, so that later starts are faster. Does nothing if Porchlight has
 * not yet run with this folder, if another user could put code into the folder, or on Node before 22.8. The desktop app
 * doesn't call this function, because the integrity check of its package doesn't cover the compiled code.
 */
export function keepCompiledCode(dataDir: string): void {
  const folder = join(dataDir, codeCacheName);
  if (!existsSync(join(dataDir, lockName)) || !isOursAlone(dataDir)) return;
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  } catch {
    return; // the folder isn't writable; the service reports that
  }
  if (isOursAlone(folder) && 'enableCompileCache' in nodeModule) nodeModule.enableCompileCache(folder);
}

function isOursAlone(path: string): boolean {
  const found = lstatSync(path);
  if (!found.isDirectory()) return false;
  return process.platform === 'win32' || (found.uid === process.getuid?.() && (found.mode & others) === 0);
}
