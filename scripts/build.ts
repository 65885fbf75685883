// Builds the window and everything of the main process into out/, where sources have changed: node scripts/build.ts [--force]
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runChild, say } from './child.ts';
import { gatherLicenses } from './licenses.ts';

const configs = ['vite.config.ts', 'vite.edge.config.ts', 'vite.main.config.ts'];
const others = [
  'src-main',
  'src-renderer',
  'scripts/licenses.ts',
  'tsconfig.base.json',
  'package.json',
  'package-lock.json',
];
const outputs = ['main/desktop.js', 'main/preload.cjs', 'edge/worker.js', 'renderer/index.html'];
const stampFile = join(root, 'out/.build-stamp');

if (import.meta.main) process.exitCode = await buildIfStale(process.argv.includes('--force'));

/** Builds what is missing or was built from other sources. Resolves to an exit code. */
export async function buildIfStale(force = false): Promise<number> {
  const digest = digestOf([...configs, ...others]);
  const isBuilt = outputs.every((file) => existsSync(join(root, 'out', file))) && existsSync(stampFile);
  if (!force && isBuilt && readFileSync(stampFile, 'utf8') === digest) return 0;
  say('Building Porchlight ...');
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const codes = await Promise.all(
    configs.map((config) =>
      // Vite's stdout goes to stderr: the stdout of `npm start -- --json` is one line, and not about building.
      runChild(process.execPath, [vite, 'build', '--config', config, '--logLevel', 'warn'], {
        stdio: ['ignore', 2, 2],
      }),
    ),
  );
  const failed = codes.find((code) => code !== 0);
  if (failed === undefined) {
    gatherLicenses();
    writeFileSync(stampFile, digest);
  } else say('The build failed. See the messages above.');
  return failed ?? 0;
}

/** Returns a digest of files and folders. It covers contents, not times, because a checkout changes times. */
function digestOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesIn)) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function filesIn(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const names = readdirSync(join(root, path)).sort();
  return names.flatMap((name) => filesIn(`${path}/${name}`));
}
