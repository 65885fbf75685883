import { resolve } from 'node:path';
import { commands, localCommands } from '../cli/commands.ts';

/**
 * Returns the arguments after the program's name if it was started as the `porchlight` command, with a command or
 * --version first; otherwise undefined. `appPath`: the app's folder if the app isn't packaged, because Electron then
 * gets it as an argument.
 */
export function subcommandOf(argv: readonly string[], appPath: string | undefined): string[] | undefined {
  const own = appPath === undefined ? 0 : argv.findIndex((one, at) => at > 0 && resolve(one) === appPath);
  if (own === -1) return undefined;
  // On systems that deny programs Chromium's sandbox, an AppImage puts --no-sandbox first.
  const [first, ...rest] = argv.slice(own + 1).filter((one, at) => at > 0 || one !== '--no-sandbox');
  if (first === undefined) return undefined;
  const isCommand = [commands, localCommands].some((table) => Object.hasOwn(table, first));
  return isCommand || first === '--version' ? [first, ...rest] : undefined;
}
