import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { SiteFolderSettings } from '../../contract/site-folder.ts';
import { GitTrouble, type Git } from '../../platform/git.ts';
import { FolderTrouble, type FolderTarget } from './folder-target.ts';

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
      throw error instanceof GitTrouble ? new FolderTrouble(error.words, error.files) : error;
    }
  }

  return {
    hashes: (files) =>
      trying(async () => {
        const found = await git.read(files, to);
        return new Map([...found].map(([file, content]) => [file, content && hashOf(content)]));
      }),

    names: () => trying(() => git.list(to)),

    write: (changes) =>
      trying(async () => {
        for (const { files, message } of changes) {
          const contents = new Map<string, Buffer | null>();
          for (const [file, content] of files) {
            if (content === null) contents.set(file, null);
            else
              contents.set(
                file,
                'text' in content ? Buffer.from(content.text) : await readFile(content.copyOf),
              );
          }
          await git.commit({ files: contents, message }, to);
        }
        await git.publish(to);
      }),
  };
}

const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');
