// What `npm start` runs: builds if needed, then starts the desktop app, or the headless server where Electron can't run.
import { join } from 'node:path';
import type { Options } from '../src-main/app/options.ts';
import { isStale, sourcesDigest } from './build-stamp.ts';
import { root, runChild } from './child.ts';
import { findRuntime, launchOf, readFlags } from './launch.ts';

const flags = process.argv.slice(2);
const options = readFlags(flags);
if (options !== undefined) process.exitCode = await start(options);

async function start(options: Options): Promise<number> {
  if (isStale(sourcesDigest())) {
    const built = await runChild(process.execPath, [join(root, '.ci/build.ts')]);
    if (built !== 0) return built;
  }
  const { command, args, env } = launchOf(await findRuntime(options), root, flags);
  return runChild(command, args, { env });
}
