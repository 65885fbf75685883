// Builds the window and everything of the main process into out/, where sources have changed: node .ci/build.ts [--force]
import { join } from 'node:path';
import { isStale, sourcesDigest, writeStamp } from './build-stamp.ts';
import { root, runChild, say } from './child.ts';

const digest = sourcesDigest();
if (process.argv.includes('--force') || isStale(digest)) process.exitCode = await build();

async function build(): Promise<number> {
  say('Building Porchlight ...');
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const codes = await Promise.all(
    ['vite.config.ts', 'vite.edge.config.ts', 'vite.main.config.ts'].map((config) =>
      // Vite's stdout goes to stderr: the stdout of `npm start -- --json` is one line, and not about building.
      runChild(process.execPath, [vite, 'build', '--config', config, '--logLevel', 'warn'], {
        stdio: ['ignore', 2, 2],
      }),
    ),
  );
  const failed = codes.find((code) => code !== 0);
  if (failed === undefined) writeStamp(digest);
  else say('The build failed. See the messages above.');
  return failed ?? 0;
}
