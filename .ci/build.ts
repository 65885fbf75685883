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
    ['vite.config.ts', 'vite.main.config.ts'].map((config) =>
      // Its own stdout goes to stderr too: that of `npm start -- --json` holds one line, and it is not about building.
      runChild(process.execPath, [vite, 'build', '--config', config, '--logLevel', 'warn'], {
        stdio: ['ignore', 2, 2],
      }),
    ),
  );
  const failed = codes.find((code) => code !== 0);
  if (failed === undefined) writeStamp(digest);
  else say('The build failed; see above.');
  return failed ?? 0;
}
