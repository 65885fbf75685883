import { runKills } from './kills/run.ts';
import { runFolderKills } from './kills/site-folder.ts';
import { readSoakOptions, soakHelp } from './soak/options.ts';

// `npm run soak`: see soakHelp.
const options = readSoakOptions(process.argv.slice(2));
if (options.help) process.stdout.write(soakHelp);
else if (options.folderKills !== undefined) process.exitCode = await runFolderKills(options.folderKills);
else if ((options.kills ?? options.powerLosses) !== undefined) process.exitCode = await runKills(options);
else await import('./soak/mixed-load.ts');
