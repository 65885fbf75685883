import { withDemo } from '../demo/folder.ts';
import { parseOptions } from '../options.ts';
import { registerAppScheme } from './app-scheme.ts';
import { lockDown } from './lock-down.ts';
import { closeDebugging } from './no-debugging.ts';
import { keepProfile } from './profile.ts';

// What Electron takes only before it is ready. Built as a CommonJS file of its own (out/main/early.cjs) that desktop.ts
// requires first: a launcher that starts ES modules too late can load it with --require, and it still runs once.
closeDebugging();
registerAppScheme();
lockDown();
keepProfileEarly();

/** What is wrong with the flags, or with the folder, desktop.ts says once it can. */
function keepProfileEarly(): void {
  try {
    keepProfile(withDemo(parseOptions(process.argv.slice(1), process.env, { tolerateUnknown: true })));
  } catch {
    // As above.
  }
}
