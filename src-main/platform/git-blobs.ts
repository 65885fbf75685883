import { sha256 } from '../storage/sha256.ts';
import { pointedAt } from './git-lfs.ts';
import { readObjects, type TreeEntry } from './git-objects.ts';
import type { RunGit } from './git-run.ts';

/** How many bytes of files are read at a time. Larger files are read one by one. */
const bytesAtOnce = 16_000_000;

/** Creates a reader for the contents of a repository's files. */
export function openGitBlobs(git: RunGit) {
  async function sizesOf(oids: readonly string[]): Promise<Map<string, number>> {
    if (oids.length === 0) return new Map();
    const { stdout } = await git(['cat-file', '--batch-check=%(objectname) %(objectsize)'], {
      input: `${oids.join('\n')}\n`,
    });
    const lines = stdout.toString('utf8').split('\n').filter(Boolean);
    return new Map(
      lines.map((line): [string, number] => {
        const [oid = '', size = ''] = line.split(' ');
        return [oid, Number(size)];
      }),
    );
  }

  return {
    /**
     * Returns the SHA-256 (hex) of each file; null for entries that aren't files. For a Git LFS pointer, returns the
     * SHA-256 of the content that the pointer refers to. Reads the files in small groups, because media files are
     * large.
     */
    async hashes(entries: readonly (TreeEntry | null)[]): Promise<(string | null)[]> {
      const files = entries.filter((entry) => entry?.mode.startsWith('100') === true);
      const oids = [...new Set(files.flatMap((entry) => entry?.oid ?? []))];
      const sizes = await sizesOf(oids);
      const hashes = new Map<string, string>();
      for (const group of inGroups(oids, (oid) => sizes.get(oid) ?? 0, bytesAtOnce))
        for (const blob of await readObjects(git, group))
          if (blob) hashes.set(blob.oid, pointedAt(blob.content) ?? sha256(blob.content));
      return entries.map((entry) =>
        entry?.mode.startsWith('100') === true ? (hashes.get(entry.oid) ?? null) : null,
      );
    },
  };
}

/**
 * Splits items into groups, and keeps their order. The sizes in a group add up to at most `most`. An item that is
 * larger than `most` gets its own group.
 */
function inGroups<T>(items: readonly T[], sizeOf: (item: T) => number, most: number): T[][] {
  const groups: T[][] = [];
  let left = -1;
  for (const item of items) {
    const size = sizeOf(item);
    if (size > left || groups.length === 0) {
      groups.push([]);
      left = most;
    }
    groups.at(-1)?.push(item);
    left -= size;
  }
  return groups;
}
