import { app } from 'electron';

/**
 * Chromium switches that would let anyone who connects to the debugger control the window, and so do whatever the owner
 * can do.
 */
const switches = ['remote-debugging-port', 'remote-debugging-pipe', 'remote-debugging-address'];

/**
 * Disables Chromium's debugging in a packaged app. Electron's fuses disable only Node's inspector. Call it before the
 * app is ready.
 */
export function closeDebugging(): void {
  if (!app.isPackaged) return;
  for (const name of switches) app.commandLine.removeSwitch(name);
}
