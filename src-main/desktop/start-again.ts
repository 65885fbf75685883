import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { app } from 'electron';

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
