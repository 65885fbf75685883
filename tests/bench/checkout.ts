import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

export const root = path.join(import.meta.dirname, '../..');
/** The last commit before posts were rows. */
export const usualBefore = 'e8b6b50';

/**
 * Checks out another commit below `out/`, where the next run finds it, installs its packages and builds it. Returns its
 * folder; undefined if the repository does not have the commit, as in a shallow clone.
 */
export function checkoutOf(commit: string): string | undefined {
  const hash = git('rev-parse', '--verify', '--quiet', `${commit}^{commit}`);
  if (hash === undefined) return undefined;
  const folder = path.join(root, 'out/before', hash);
  if (existsSync(folder)) return folder;
  console.log(`Building ${commit} ...`);
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  unpack(hash, unfinished);
  const scripts = existsSync(path.join(unfinished, 'scripts')) ? 'scripts' : '.ci';
  for (const script of ['bootstrap.mjs', 'build.ts'])
    execFileSync(process.execPath, [path.join(scripts, script)], {
      cwd: unfinished,
      stdio: ['ignore', 2, 2],
    });
  renameSync(unfinished, folder);
  return folder;
}

/** Writes the files of a commit into a new folder. */
export function unpack(commit: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const archive = path.join(folder, 'checkout.tar');
  execFileSync('git', ['archive', '-o', archive, commit], { cwd: root });
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  rmSync(archive);
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}
