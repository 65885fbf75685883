import { app, powerMonitor, type Event } from 'electron';
import { leave } from '../platform/secrets.ts';

/** Milliseconds that the end may take before the app leaves without waiting any longer. */
const patience = 5000;

/**
 * Runs `stop` once, however the end is asked for (the tray, the system, SIGTERM, SIGINT), and then exits: 0 after a
 * clean stop, 1 where it failed or took too long. Call it when the app is ready. Returns what stops it the same way
 * without exiting: resolves when it has, or when waiting any longer is no use.
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
  // Linux and macOS: the system waits for us, for as long as the end takes.
  const delay = (event: Pick<Event, 'preventDefault'>) => {
    event.preventDefault();
    quit();
  };
  // The types leave the event out.
  powerMonitor.on('shutdown', delay as () => void);
  // Windows tells the window, and may not wait: what was acknowledged is on disk already.
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
