import { folded, isFileName } from './file-names.ts';
import { GitTrouble } from './git-trouble.ts';

/**
 * Checks that the file names are valid, and that one repository can contain all the files on every operating system.
 * @throws GitTrouble `conflict`, with the invalid or conflicting files
 */
export function requireFileNames(files: readonly string[]): void {
  const wrong = files.filter((file) => !isFileName(file));
  if (wrong.length > 0) {
    const words = `“${wrong.join('”, “')}” isn’t a file below the folder. Check where posts and media go.`;
    throw new GitTrouble('conflict', words, { files: wrong });
  }
  const names = new Set<string>();
  for (const file of files) {
    const name = folded(file);
    if (names.has(name)) throw together(file);
    names.add(name);
  }
  for (const file of files) {
    const parts = folded(file).split('/').slice(0, -1);
    if (parts.some((_, index) => names.has(parts.slice(0, index + 1).join('/')))) throw together(file);
  }
}

const together = (file: string) =>
  new GitTrouble(
    'conflict',
    `“${file}” has the same name as another file on Macs and on Windows. Rename it.`,
    {
      files: [file],
    },
  );
