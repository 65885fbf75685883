import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import type { PorchlightError } from '../contract/error.ts';
import type { Options } from '../options.ts';
import { writeFailure } from '../storage/storage-error.ts';
import { makeFolder } from './make-folder.ts';

/**
 * Keeps the browser profile, and the single-instance lock, with the data that --data names: a folder of its own is a
 * Porchlight of its own. Answers what is wrong with the folder, where they can not be kept in it. Before Electron is
 * ready: the profile is opened then.
 */
export function keepProfile({
  dataDir,
  check,
  help,
  version,
}: Pick<Options, 'dataDir' | 'check' | 'help' | 'version'>): PorchlightError | undefined {
  if (dataDir === undefined || help || version) return undefined;
  // Who only looks makes no folder.
  if (check && !existsSync(dataDir)) return undefined;
  const folder = join(dataDir, 'electron');
  try {
    makeFolder(folder);
  } catch (error) {
    return writeFailure(folder, error);
  }
  app.setPath('userData', folder);
  app.setPath('sessionData', folder);
  return undefined;
}
