import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { app, BaseWindow, type Event, powerMonitor } from 'electron';
import { leave } from '../platform/own-process.ts';

/** The maximum time for shutdown, in milliseconds. After this time, the app exits anyway. */
const patience = 5000;

/**
 * Runs `stop` once when the app is asked to quit (by the tray, the system, SIGTERM or SIGINT). Then exits with 0 if
 * `stop` succeeded, or with 1 if it failed or took too long. Call this function when the app is ready. Returns a
 * function that runs `stop` without exiting, and reports whether `stop` succeeded in time.
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
  // On Linux and macOS, the system delays its own shutdown until the app has quit.
  const delay = (event: Pick<Event, 'preventDefault'>) => {
    event.preventDefault();
    quit();
  };
  // The cast is necessary because Electron's types lack the event parameter.
  powerMonitor.on('shutdown', delay as () => void);
  // Windows announces its shutdown to windows instead of the app, and may not wait for the app to quit. Even if it
  // doesn't wait, no saved data is lost: data that the server has confirmed as saved is already on disk. A window
  // without a page hears the announcement, because the owner's window may not exist.
  if (process.platform === 'win32') new BaseWindow({ show: false }).on('session-end', quit);
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

/** The properties of a process that show whether it runs from an AppImage. */
type Started = Pick<NodeJS.Process, 'env' | 'execPath'>;

/**
 * Returns the path of the AppImage that this program runs from, if any. The program must be inside the unpacked image:
 * the environment variables alone could come from a terminal that is itself an AppImage.
 */
export function appImage({ env, execPath }: Started = process): string | undefined {
  const { APPDIR: unpacked, APPIMAGE: file } = env;
  return file && unpacked && realPath(execPath).startsWith(realPath(unpacked) + sep) ? file : undefined;
}

/**
 * Restarts the app with the same arguments after this process ends. `show`: whether the owner expects the window to
 * open.
 */
export function startAgain({ show }: { readonly show: boolean }): void {
  const args = process.argv.slice(1).filter((arg) => !show || arg !== '--no-open');
  // An AppImage is unpacked to a new folder for each run, so the restart must use the AppImage file itself.
  const execPath = appImage();
  app.relaunch({ args, ...(execPath !== undefined && { execPath }) });
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
