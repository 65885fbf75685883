import { app } from 'electron';

/**
 * Chromium switches that let anyone who connects control the window, and so make every call that the owner can make.
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
