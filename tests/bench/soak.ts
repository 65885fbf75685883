import { join } from 'node:path';
import { root, runChild } from '../../scripts/child.ts';
import { provideEdgeRuntime } from '../../scripts/test-needs.ts';
import { runKills } from './kills/run.ts';
import { runFolderKills } from './kills/site-folder.ts';
import { readSoakOptions, soakHelp } from './soak/options.ts';

// `npm run soak`: see soakHelp.
const options = readSoakOptions(process.argv.slice(2));
if (options.help) process.stdout.write(soakHelp);
else if (options.folderKills !== undefined) process.exitCode = await runFolderKills(options.folderKills);
else if ((options.kills ?? options.powerLosses) !== undefined) process.exitCode = await runKills(options);
else if (options.drains !== undefined) process.exitCode = await runDrains(options.drains);
else await import('./soak/mixed-load.ts');

/** Runs the test that kills the server while it empties its mailbox, with more kills than a usual run has. */
async function runDrains(drains: number): Promise<number> {
  if (!(await provideEdgeRuntime())) return 1;
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = ['run', 'tests/e2e/mailbox.test.ts', '-t', 'kills while it is emptied'];
  const env = { ...process.env, PORCHLIGHT_DRAIN_KILLS: String(drains) };
  return await runChild(process.execPath, [vitest, ...args], { env });
}
