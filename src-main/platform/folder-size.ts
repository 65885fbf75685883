import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The number of files that are measured at once. */
const together = 64;

/**
 * Returns the size of each entry in a folder, keyed by name: the number of files in the entry, and their total bytes.
 * Unreadable entries count as empty, so the sizes are for display only.
 */
export async function sizesIn(dir: string) {
  const names = await readdir(dir).catch(() => []);
  const sizes: { name: string; files: number; bytes: number }[] = [];
  for (const name of names.sort()) sizes.push({ name, ...(await folderSize(join(dir, name))) });
  return sizes;
}

/** Returns the number of files in a folder, and their total bytes. Unreadable files and folders count as empty. */
export async function folderSize(path: string): Promise<{ files: number; bytes: number }> {
  const entry = await stat(path).catch(() => undefined);
  if (!entry?.isDirectory()) return { files: entry ? 1 : 0, bytes: entry?.size ?? 0 };
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  let bytes = 0;
  for (let start = 0; start < files.length; start += together) {
    const found = await Promise.all(
      files.slice(start, start + together).map((file) => stat(file).catch(() => undefined)),
    );
    for (const one of found) bytes += one?.size ?? 0;
  }
  return { files: files.length, bytes };
}
