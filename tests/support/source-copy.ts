import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../..');
const sources = [
  'scripts',
  'resources',
  'src-main',
  'src-renderer',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'vite.config.ts',
  'vite.edge.config.ts',
  'vite.main.config.ts',
];

/** A copy of the sources in a temporary folder, which tests may change and start. */
export interface SourceCopy {
  readonly folder: string;
  /** Replaces one text in a file. @throws Error if the file doesn't contain it. */
  change(file: string, from: string, to: string): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Copies the sources, with a link to the packages of this folder.
 * @throws Error if the packages are not those of the lock file, because npm scripts would then replace them.
 */
export async function copySources(): Promise<SourceCopy> {
  const lock = createHash('sha256').update(await readFile(path.join(root, 'package-lock.json')));
  const stamp = await readFile(path.join(root, 'node_modules/.porchlight-stamp'), 'utf8');
  if (!stamp.startsWith(lock.digest('hex')))
    throw new Error('The packages are out of date: run `npm test` first.');
  const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-sources-'));
  for (const name of sources) await cp(path.join(root, name), path.join(folder, name), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  return {
    folder,
    async change(file, from, to) {
      const place = path.join(folder, file);
      const text = await readFile(place, 'utf8');
      if (!text.includes(from)) throw new Error(`${file} doesn’t contain “${from}”.`);
      await writeFile(place, text.replace(from, to));
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
