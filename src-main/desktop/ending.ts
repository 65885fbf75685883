import { app, powerMonitor, type Event } from 'electron';
import { leave } from '../platform/keychain.ts';

/** How long shutdown may take before the app exits anyway, in milliseconds. */
const patience = 5000;

/**
 * Runs `stop` once, however the app is asked to quit (tray, system, SIGTERM or SIGINT), and then exits: with 0 after a
 * clean stop, with 1 if it failed or took too long. Call it when the app is ready. Returns a function that runs `stop`
 * without exiting; it resolves with whether the stop was clean and in time.
 */
export function endWith(stop: () => Promise<void>): () => Promise<boolean> {
  let stopped: Promise<boolean> | undefined;
  const stopOnce = () => (stopped ??= Promise.race([succeeds(stop), later(patience)]));
  let ending = false;
  app.on('before-quit', (event) => {
    event.preventDefault();
    if (ending) return;
    ending = true;
    void stopOnce().then((clean) => leave(clean ? 0 : 1, (code) => app.exit(code)));
  });
  const quit = () => app.quit();
  process.on('SIGTERM', quit);
  process.on('SIGINT', quit);
  // On Linux and macOS, the system waits until the app has shut down.
  const delay = (event: Pick<Event, 'preventDefault'>) => {
    event.preventDefault();
    quit();
  };
  // A cast, because Electron's types lack the parameter for the event.
  powerMonitor.on('shutdown', delay as () => void);
  // Windows notifies the window instead and may not wait, but acknowledged data is already on disk.
  app.on('browser-window-created', (_event, window) => void window.on('session-end', quit));
  return stopOnce;
}

async function succeeds(stop: () => Promise<void>): Promise<boolean> {
  try {
    await stop();
    return true;
  } catch (error) {
    process.stderr.write(`porchlight: could not stop cleanly: ${String(error)}\n`);
    return false;
  }
}

function later(milliseconds: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds, false);
  });
}
