import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './child.ts';

/** What the build is made of, and what it leaves behind. */
const sources = [
  'src-main',
  'src-renderer',
  'vite.config.ts',
  'vite.edge.config.ts',
  'vite.main.config.ts',
  'tsconfig.base.json',
  'package.json',
  'package-lock.json',
];
const outputs = [
  'out/main/desktop.js',
  'out/main/headless.js',
  'out/main/early.cjs',
  'out/main/preload.cjs',
  'out/edge/worker.js',
  'out/renderer/index.html',
];
const stampFile = join(root, 'out/.build-stamp');

/** Returns a digest of everything that the build reads. */
export function sourcesDigest(): string {
  return digestOf(sources);
}

/**
 * Returns a digest of files and folders, without installed packages. It covers contents, not times, because a checkout
 * changes times.
 */
export function digestOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesIn)) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Returns whether something is not built, or was built from other sources. */
export function isStale(digest: string): boolean {
  const isComplete = [...outputs.map((file) => join(root, file)), stampFile].every((file) =>
    existsSync(file),
  );
  return !isComplete || readFileSync(stampFile, 'utf8') !== digest;
}

/** Remembers what was built. */
export function writeStamp(digest: string): void {
  mkdirSync(join(root, 'out'), { recursive: true });
  writeFileSync(stampFile, digest);
}

function filesIn(path: string): string[] {
  const absolute = join(root, path);
  if (!existsSync(absolute)) return [];
  if (!statSync(absolute).isDirectory()) return [path];
  return readdirSync(absolute)
    .filter((name) => name !== 'node_modules')
    .sort()
    .flatMap((name) => filesIn(`${path}/${name}`));
}
