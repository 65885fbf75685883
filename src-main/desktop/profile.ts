import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import type { PorchlightError } from '../contract/error.ts';
import { defaultDataDir, type Options } from '../app/options.ts';
import { writeFailure } from '../storage/storage-error.ts';
import { makeFolder } from './make-folder.ts';

/**
 * Stores the browser profile and the single-instance lock in the folder given with --data, so that the app can run once
 * for each data folder. On Windows, stores them outside the roaming profile by default. Creates the folder if it is missing, and prints a line that says so. Returns the error if the
 * folder can't be used. Call it before Electron is ready, because Electron opens the profile as soon as it is ready.
 */
export function keepProfile({
  dataDir,
  check,
  help,
  version,
}: Pick<Options, 'dataDir' | 'check' | 'help' | 'version'>): PorchlightError | undefined {
  if (help || version) return undefined;
  if (dataDir === undefined) {
    if (process.platform === 'win32') useFolder(defaultDataDir(process.env, 'win32'));
    return undefined;
  }
  // With --check, the app must not create a folder.
  const isNew = !existsSync(dataDir);
  if (check && isNew) return undefined;
  const folder = join(dataDir, 'electron');
  try {
    makeFolder(folder);
    if (isNew) process.stderr.write(`Porchlight created the data folder ${dataDir}.\n`);
  } catch (error) {
    return writeFailure(folder, error);
  }
  useFolder(folder);
  return undefined;
}

function useFolder(folder: string): void {
  app.setPath('userData', folder);
  app.setPath('sessionData', folder);
}
