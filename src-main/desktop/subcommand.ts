import { resolve } from 'node:path';
import { commands, localCommands } from '../command/commands.ts';

/**
 * Returns the arguments of the `porchlight` command if the program was started as that command: with a subcommand or
 * --version as the first argument. Otherwise returns undefined. `appPath`: the app's folder if the app isn't packaged,
 * because Electron then receives the folder as an argument.
 */
export function subcommandOf(argv: readonly string[], appPath: string | undefined): string[] | undefined {
  const own = appPath === undefined ? 0 : argv.findIndex((one, at) => at > 0 && resolve(one) === appPath);
  if (own === -1) return undefined;
  // On systems that don't allow Chromium's sandbox, an AppImage adds --no-sandbox as the first argument.
  const [first, ...rest] = argv.slice(own + 1).filter((one, at) => at > 0 || one !== '--no-sandbox');
  if (first === undefined) return undefined;
  const isCommand = [commands, localCommands].some((table) => Object.hasOwn(table, first));
  return isCommand || first === '--version' ? [first, ...rest] : undefined;
}
