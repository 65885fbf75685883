import { app, powerMonitor } from 'electron';

/** Milliseconds that the end may take before the app leaves without waiting any longer. */
const patience = 5000;

/**
 * Runs `stop` once, however the end is asked for (the tray, the system, SIGTERM, SIGINT), and then exits: 0 after a
 * clean stop, 1 where it failed or took too long. Call it when the app is ready.
 */
export function endWith(stop: () => Promise<void>): void {
  let ending = false;
  app.on('before-quit', (event) => {
    event.preventDefault();
    if (ending) return;
    ending = true;
    void Promise.race([succeeds(stop), later(patience)]).then((clean) => app.exit(clean ? 0 : 1));
  });
  const quit = () => app.quit();
  process.on('SIGTERM', quit);
  process.on('SIGINT', quit);
  // Linux and macOS; Windows closes the app itself, and what was acknowledged is on disk already.
  powerMonitor.on('shutdown', quit);
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
