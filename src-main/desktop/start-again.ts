import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { app } from 'electron';

/** The properties of the process that show whether it runs from an AppImage. */
type Started = Pick<NodeJS.Process, 'env' | 'execPath'>;

/**
 * Returns the AppImage that this program runs from, if any. A terminal that is itself an AppImage sets the same
 * variables, so the program must also lie inside the unpacked image.
 */
export function appImage({ env, execPath }: Started = process): string | undefined {
  const { APPDIR: unpacked, APPIMAGE: file } = env;
  return file && unpacked && realPath(execPath).startsWith(realPath(unpacked) + sep) ? file : undefined;
}

/** Restarts the app with the same arguments when this process ends. `show`: the owner expects the window. */
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
