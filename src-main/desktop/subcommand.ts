import { resolve } from 'node:path';
import { commands, localCommands } from '../cli/commands.ts';

/**
 * Returns what follows the program's name where it was started as the `porchlight` command: first a command, or
 * --version. Undefined for every other start. `appPath`: the folder of the app where it isn't packaged, because
 * Electron gets that as an argument.
 */
export function subcommandOf(argv: readonly string[], appPath: string | undefined): string[] | undefined {
  const own = appPath === undefined ? 0 : argv.findIndex((one, at) => at > 0 && resolve(one) === appPath);
  if (own === -1) return undefined;
  // An AppImage puts the switch first where the system keeps Chromium's sandbox from programs.
  const [first, ...rest] = argv.slice(own + 1).filter((one, at) => at > 0 || one !== '--no-sandbox');
  if (first === undefined) return undefined;
  const isCommand = [commands, localCommands].some((table) => Object.hasOwn(table, first));
  return isCommand || first === '--version' ? [first, ...rest] : undefined;
}
