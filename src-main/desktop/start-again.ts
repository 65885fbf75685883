import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { app } from 'electron';

/** The environment and the program, as far as an AppImage shows in them. */
type Started = Pick<NodeJS.Process, 'env' | 'execPath'>;

/**
 * The AppImage that this program runs from; undefined where it runs from none. A terminal inside of another AppImage
 * leaves that one's name in the environment: ours is the one that this program lies in.
 */
export function appImage({ env, execPath }: Started = process): string | undefined {
  const { APPDIR: unpacked, APPIMAGE: file } = env;
  return file && unpacked && realPath(execPath).startsWith(realPath(unpacked) + sep) ? file : undefined;
}

/**
 * Has the app started once more when this run ends, with the same arguments. `show`: its owner asked for it and waits
 * for the window, also where this run began without one.
 */
export function startAgain({ show }: { readonly show: boolean }): void {
  const args = process.argv.slice(1).filter((arg) => !show || arg !== '--no-open');
  // An AppImage is unpacked for one run: what is to start again is the file itself.
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
