import { app } from 'electron';

/** Chromium's switches that hand the window, and with it every call of the owner, to whoever connects. */
const switches = ['remote-debugging-port', 'remote-debugging-pipe', 'remote-debugging-address'];

/**
 * Takes Chromium's debugging away from a packed app. Electron's fuses close Node's inspector and not this one. Call it
 * before the app is ready.
 */
export function closeDebugging(): void {
  if (!app.isPackaged) return;
  for (const name of switches) app.commandLine.removeSwitch(name);
}
