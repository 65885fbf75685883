import { isAbsolute } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import type { SiteFolderSettings } from '../contract/site-folder.ts';
import { templateProblem } from '../posts/files/addresses.ts';

/**
 * Checks a change to the settings of the owner's folder. `current`: the settings before the change. While publishing
 * to the folder is off, the settings may be incomplete.
 * @throws PorchlightError `invalid_request` if a value is not valid
 */
export function checkSiteFolder(
  patch: Partial<SiteFolderSettings>,
  current: SiteFolderSettings,
): Partial<SiteFolderSettings> {
  const settings = { ...current, ...patch };
  const { path, on } = settings;
  if (path !== '' && !isAbsolute(path))
    refuseSettings(`“${path}” isn’t a full path. Start at the root of the disk.`);
  const problem = on ? folderProblem(settings) : undefined;
  if (problem !== undefined) refuseSettings(problem);
  return patch;
}

/** Returns why Porchlight can't publish with these settings, as a message for the owner; undefined if it can. */
export function folderProblem(settings: SiteFolderSettings): string | undefined {
  if (settings.path === '') return 'Choose the folder of your site first.';
  if (settings.push && !settings.commit)
    return 'Porchlight can push only what it commits. Turn on commits, too.';
  if (settings.commit && settings.branch === '') return 'Name the branch that your site is built from.';
  if (settings.push && settings.remote === '') return 'Name the remote to which your site is pushed.';
  return templateProblem(settings);
}

function refuseSettings(message: string): never {
  throw new PorchlightError('invalid_request', message);
}
