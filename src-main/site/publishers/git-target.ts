import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { SiteFolderSettings } from '../../contract/site-folder.ts';
import { pointedAt } from '../../platform/git-commits.ts';
import { GitTrouble } from '../../platform/git-trouble.ts';
import type { Git } from '../../platform/git.ts';
import { PublishingTrouble, type FolderTarget } from './folder-target.ts';

/** How many files are read at a time: media may be large. */
const atOnce = 50;

/** Writes to the owner's folder by commits in its git repository. */
export function gitTarget(
  git: Git,
  { branch, remote, push }: Pick<SiteFolderSettings, 'branch' | 'remote' | 'push'>,
): FolderTarget {
  const to = { branch, remote: push ? remote : null };

  /** Reports what git says in words for the owner. */
  async function trying<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GitTrouble)) throw error;
      throw new PublishingTrouble(error.words, error.files);
    }
  }

  return {
    hashes: (files) =>
      trying(async () => {
        const found = new Map<string, string | null>();
        for (let start = 0; start < files.length; start += atOnce)
          for (const [file, content] of await git.read(files.slice(start, start + atOnce), to))
            found.set(file, content && hashOf(content));
        return found;
      }),

    names: () => trying(() => git.list(to)),

    write: (changes) =>
      trying(async () => {
        for (const { files, expected, message } of changes) {
          const contents = new Map<string, Buffer | null>();
          for (const [file, content] of files) {
            if (content === null) contents.set(file, null);
            else
              contents.set(
                file,
                'text' in content ? Buffer.from(content.text) : await readFile(content.copyOf),
              );
          }
          await git.commit({ files: contents, message, ...(expected && { expected }) }, to);
        }
        const { setAside } = await git.publish(to);
        const conflicts = setAside.flatMap((one) => one.conflicts);
        if (conflicts.length > 0)
          throw new PublishingTrouble(
            `${conflicts.join(', ')}: somebody else changed this at the same time.`,
            conflicts,
          );
      }),
  };
}

/** Returns the SHA-256 (hex) of a file; that of the file for which a pointer of Git LFS stands. */
const hashOf = (content: Buffer) =>
  (content.length === 0 ? undefined : pointedAt(content)) ??
  createHash('sha256').update(content).digest('hex');
