// Installs the runtime of Cloudflare's Workers for the tests, where it is missing or old: node .ci/edge-runtime.ts
// It is large, so only those who test it get it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, root, runChild, say } from './child.ts';

const folder = join(root, 'tests/edge-runtime');
const stampFile = join(folder, 'node_modules/.porchlight-stamp');

if (import.meta.main) process.exitCode = (await provideEdgeRuntime()) ? 0 : 1;

/** Returns whether the runtime is there afterwards. Says so if it isn't. */
export async function provideEdgeRuntime(): Promise<boolean> {
  const stamp = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return true;
  say('Installing the runtime of Cloudflare’s Workers for the tests ...');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const install = [
    '--prefix',
    folder,
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const code = findProgram(npm) ? await runChild(npm, install, { stdio: ['ignore', 2, 2] }) : 1;
  if (code === 0) writeFileSync(stampFile, stamp);
  else say('The runtime of Cloudflare’s Workers could not be installed. The tests that need it will fail.');
  return code === 0;
}
