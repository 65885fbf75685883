import type { SiteFolderSettings } from '../../contract/site-folder.ts';
import { GitTrouble } from '../../platform/git-trouble.ts';
import type { Git } from '../../platform/git.ts';
import { PublishingTrouble, type FileContent, type FolderTarget } from './folder-target.ts';

/** Creates a folder target that commits its changes to the folder's git repository. */
export function gitTarget(
  git: Git,
  { branch, remote, push }: Pick<SiteFolderSettings, 'branch' | 'remote' | 'push'>,
): FolderTarget {
  const to = { branch, remote: push ? remote : null };

  /** Runs git operations, and converts their errors to messages for the owner. */
  async function trying<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GitTrouble)) throw error;
      throw new PublishingTrouble(error.words, error.files);
    }
  }

  return {
    hashes: (files) => trying(() => git.hashes(files, to)),

    text: (file) => trying(async () => (await git.read(file, to))?.toString('utf8') ?? null),

    names: (isFresh) => trying(() => git.list(to, isFresh)),

    write: (changes) =>
      trying(async () => {
        const commits = changes.map(({ files, expected, message }) => ({
          files: new Map([...files].map(([file, content]) => [file, contentOf(content)])),
          ...{ message, ...(expected && { expected }) },
        }));
        const { setAside } = await git.publish(commits, to);
        const conflicts = setAside.flatMap((one) => one.conflicts);
        if (conflicts.length > 0)
          throw new PublishingTrouble(
            `${conflicts.join(', ')}: somebody else changed this at the same time.`,
            conflicts,
          );
      }),
  };
}

const contentOf = (content: FileContent | null) =>
  content !== null && 'text' in content ? Buffer.from(content.text) : content;
