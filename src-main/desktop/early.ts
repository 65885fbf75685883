import { app, protocol } from 'electron';
import { withDemo } from '../demo/folder.ts';
import { parseOptions } from '../options.ts';
import { lockDown } from './lock-down.ts';
import { keepProfile } from './profile.ts';

// These settings must be made before Electron is ready. This file is built as a separate CommonJS file
// (out/main/early.cjs) that desktop.ts requires first. A launcher that starts ES modules too late can load it with
// --require, and it still runs only once.

// Electron's fuses disable only Node's inspector. Anyone who connects to Chromium's debugger could control the window.
if (app.isPackaged)
  for (const name of ['remote-debugging-port', 'remote-debugging-pipe', 'remote-debugging-address'])
    app.commandLine.removeSwitch(name);
// app:// gets origins, as https:// has, but no privileges that bypass protections.
protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true } }]);
lockDown();
try {
  keepProfile(withDemo(parseOptions(process.argv.slice(1), process.env, { tolerateUnknown: true })));
} catch {
  // desktop.ts reports invalid options and unusable folders as soon as it can.
}
