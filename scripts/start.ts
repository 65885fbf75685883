// What `npm start` runs: builds if needed, then starts the desktop app, or the headless server where Electron can't run.
import { buildIfStale } from './build.ts';
import { root, runChild } from './child.ts';
import { endWithEverything } from './ending.ts';
import { findRuntime, launchOf, readFlags } from './launch.ts';

endWithEverything({ asChild: true });
const flags = process.argv.slice(2);
const options = readFlags(flags);
if (options !== undefined) {
  process.exitCode = await buildIfStale();
  if (process.exitCode === 0) {
    const { command, args, env } = launchOf(await findRuntime(options), root, flags);
    process.exitCode = await runChild(command, args, { env });
  }
}
