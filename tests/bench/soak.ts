import { runKills } from './kills/run.ts';
import { soakHelp, soakOptions } from './soak/options.ts';

// `npm run soak`: see soakHelp.
if (soakOptions.help) process.stdout.write(soakHelp);
else if ((soakOptions.kills ?? soakOptions.powerLosses) !== undefined)
  process.exitCode = await runKills(soakOptions);
else await import('./soak/mixed-load.ts');
