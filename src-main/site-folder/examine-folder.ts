import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import type { FoundSite } from '../contract/site-folder.ts';
import { FolderTrouble, openFolderReader } from '../platform/folder-files.ts';
import { GitTrouble } from './git/git-trouble.ts';
import type { ReadFolderText } from './folder-jobs.ts';
import type { Git } from './git/git.ts';

/**
 * Examines a folder and the Git repository that contains it. Changes nothing. `read`: parses the
 * folder's files on another thread. `git`: opens the repository of a folder.
 * @throws PorchlightError `invalid_path` with a message for the owner
 */
export async function examineFolder(
  folder: string,
  read: ReadFolderText,
  git: (folder: string) => Git,
): Promise<FoundSite> {
  if (!isAbsolute(folder)) refusePath(`“${folder}” isn’t a full path. Start at the root of the disk.`);
  const found = await stat(folder).catch(() => undefined);
  if (!found) refusePath('There is no folder at this path.');
  if (!found.isDirectory()) refusePath('This isn’t a folder. Choose the folder of your site.');
  try {
    const { detectSite } = await import('./detect.ts');
    const site = await detectSite(openFolderReader(folder), read);
    const facts = await git(folder).inspect();
    const { branch = null, remote = null } = facts ?? {};
    const canCommit = facts !== null && branch !== null;
    return {
      ...site,
      warnings: [...site.warnings, ...(facts === null ? [withoutGit] : [])],
      repository: facts && { branch, remotes: [...facts.remotes], remote, words: facts.problem },
      suggested: {
        ...site.suggested,
        path: folder,
        commit: canCommit,
        push: canCommit && remote !== null,
        branch: branch ?? '',
        remote: remote ?? '',
      },
    };
  } catch (error) {
    if (error instanceof FolderTrouble || error instanceof GitTrouble) refusePath(error.words);
    throw error;
  }
}

const withoutGit =
  'The folder is in no git repository, or git isn’t installed. Porchlight can only write files here; you build the site.';

function refusePath(message: string): never {
  throw new PorchlightError('invalid_path', message);
}
