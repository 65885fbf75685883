import { app, protocol } from 'electron';
import { withDemo } from '../demo/folder.ts';
import { parseOptions } from '../app/options.ts';
import { lockDown } from './lock-down.ts';
import { keepProfile } from './profile.ts';

// The settings in this file must be made before Electron is ready. The file is therefore built as a separate CommonJS
// file (out/main/early.cjs), which desktop.ts loads first. If a launcher loads desktop.ts too late for these settings,
// it can load this file earlier with --require. Even then, this file runs only once.

// Remove the command-line switches that open Chromium's debugger, because a program that uses the debugger could
// control the window. Electron's fuses disable only Node's inspector.
if (app.isPackaged)
  for (const name of ['remote-debugging-port', 'remote-debugging-pipe', 'remote-debugging-address'])
    app.commandLine.removeSwitch(name);
// Give pages at app:// an origin, like pages at https://, but no privileges that bypass security checks.
protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true } }]);
lockDown();
try {
  keepProfile(withDemo(parseOptions(process.argv.slice(1), process.env, { tolerateUnknown: true })));
} catch {
  // desktop.ts reports invalid options and unusable folders as soon as it can.
}
