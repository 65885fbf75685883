import { withDemo } from '../demo/folder.ts';
import { parseOptions } from '../options.ts';
import { registerAppScheme } from './app-scheme.ts';
import { lockDown } from './lock-down.ts';
import { closeDebugging } from './no-debugging.ts';
import { keepProfile } from './profile.ts';

// These settings must be made before Electron is ready. This file is built as a separate CommonJS file
// (out/main/early.cjs) that desktop.ts requires first. A launcher that starts ES modules too late can load it with
// --require, and it still runs only once.
closeDebugging();
registerAppScheme();
lockDown();
keepProfileEarly();

/** Ignores errors, because desktop.ts reports invalid options and unusable folders as soon as it can. */
function keepProfileEarly(): void {
  try {
    keepProfile(withDemo(parseOptions(process.argv.slice(1), process.env, { tolerateUnknown: true })));
  } catch {
    // desktop.ts reports the error.
  }
}
