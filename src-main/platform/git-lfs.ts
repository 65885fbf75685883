import { devNull } from 'node:os';
import { readObjects } from './git-objects.ts';
import type { RunGit } from './git-run.ts';
import { GitTrouble, lfsWords } from './git-trouble.ts';

/**
 * Options for calls that run the Git LFS filters. Without these options, the filters would install hooks, possibly in
 * the owner's working tree.
 */
export const withoutHooks = ['-c', `core.hooksPath=${devNull}`];
/** The maximum number of ids per git call, to limit the length of its arguments. */
const idsAtOnce = 200;

/** Returns the SHA-256 (hex) of the content that a Git LFS pointer refers to; undefined if `blob` isn't a pointer. */
export function pointedAt(blob: Buffer | undefined): string | undefined {
  if (blob === undefined || blob.length > 1024) return undefined;
  const pattern = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n/;
  return pattern.exec(blob.toString('latin1'))?.[1];
}

/**
 * Finds the Git LFS pointers among files of the index, and returns the SHA-256 (hex) of the contents that they refer
 * to. `git` must run in the working tree of the index.
 * @throws GitTrouble `lfs` if git stored the full content of a file that belongs in Git LFS
 */
export async function pointersAmong(git: RunGit, names: readonly string[]): Promise<string[]> {
  const input = names.map((name) => `${name}\0`).join('');
  const { stdout } = await git(['check-attr', '-z', '--cached', '--stdin', 'filter'], { input });
  const fields = stdout.toString('utf8').split('\0');
  const tracked = fields.filter((_, index) => index % 3 === 0 && fields[index + 2] === 'lfs');
  if (tracked.length === 0) return [];
  const blobs = await readObjects(
    git,
    tracked.map((name) => `:${name}`),
  );
  // Git LFS stores empty files without a pointer.
  const isEmpty = (index: number) => blobs[index]?.content.length === 0;
  const found = tracked.map((_, index) => pointedAt(blobs[index]?.content));
  const missing = tracked.filter((_, index) => found[index] === undefined && !isEmpty(index));
  if (missing.length > 0) throw new GitTrouble('lfs', lfsWords, { files: missing });
  return found.filter((hash) => hash !== undefined);
}

/**
 * Uploads files to the Git LFS server of the remote `to`, because pointers without their contents would break the site.
 * Doesn't rely on the pre-push hook of Git LFS, which many repositories replace with another hook. `env`: see
 * remoteVariables.
 * @throws GitTrouble
 */
export async function sendLargeFiles(
  git: RunGit,
  hashes: readonly string[],
  to: { readonly remote: string; readonly env: Readonly<Record<string, string>> },
): Promise<void> {
  for (let at = 0; at < hashes.length; at += idsAtOnce)
    await git(['lfs', 'push', '--object-id', to.remote, ...hashes.slice(at, at + idsAtOnce)], {
      env: to.env,
    });
}

/**
 * Returns the content of a file. If `blob` is a Git LFS pointer, fetches the content that the pointer refers to.
 * @throws GitTrouble if the content can't be fetched
 */
export async function withoutPointer(git: RunGit, blob: Buffer): Promise<Buffer> {
  if (pointedAt(blob) === undefined) return blob;
  return (await git([...withoutHooks, 'lfs', 'smudge'], { input: blob })).stdout;
}
