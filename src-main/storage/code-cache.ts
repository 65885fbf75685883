import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { codeCacheName } from './backup/kept-paths.ts';

/** Permissions of other users, in the mode of a file or folder. */
const others = 0o077;

/**
 * Has Node keep the compiled code of all modules that it loads from now on in the data folder, which makes later starts
 * cheaper. Does nothing in a folder where Porchlight has not run before, or where another user could place code, or on
 * Node before 22.8. The desktop app does not call this: the integrity check of its package would not cover that code.
 */
export function keepCompiledCode(dataDir: string): void {
  const folder = join(dataDir, codeCacheName);
  if (!existsSync(join(dataDir, 'lock')) || !isOursAlone(dataDir)) return;
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  } catch {
    return; // a folder that cannot be written to: the service reports it
  }
  if (isOursAlone(folder) && 'enableCompileCache' in nodeModule) nodeModule.enableCompileCache(folder);
}

function isOursAlone(path: string): boolean {
  const found = lstatSync(path);
  if (!found.isDirectory()) return false;
  return process.platform === 'win32' || (found.uid === process.getuid?.() && (found.mode & others) === 0);
}
