import path from 'node:path';

const usualRoot = 'C:\\Windows';
/** Matches a folder of a local disk. A share of the network could have another program in the same place. */
const localFolder = /^[a-z]:\\[^/:*?"<>|]*$/i;

/**
 * Returns the full path of a program of Windows. Windows also looks for a bare name in the current folder, where somebody
 * else may have put another program. `place`: the program's path in the folder of Windows. `root`: that folder, as the
 * environment names it.
 */
export function windowsProgram(place: string, root = process.env['SystemRoot']): string {
  const isUsable = root !== undefined && localFolder.test(root) && !root.split('\\').includes('..');
  return path.win32.join(isUsable ? root : usualRoot, place);
}
