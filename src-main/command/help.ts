import { commandOptions } from './arguments.ts';
import { commands, localCommands } from './commands.ts';
import { table } from './text.ts';

const indented = (rows: readonly (readonly string[])[]) =>
  table(rows.map(([left = '', right = '']) => [`  ${left}`, right]));

/** Returns the help that `porchlight` prints if no command is given. */
export function generalHelp(): string {
  const rows = [...Object.entries(commands), ...Object.entries(localCommands)].map(
    ([name, { takes, help }]) => [takes === undefined ? name : `${name} ${takes}`, help],
  );
  return [
    'porchlight: controls the Porchlight server that runs on this computer.\n',
    'Usage: porchlight COMMAND [options]\n',
    `Commands:\n${indented(rows)}`,
    `Options of every command:\n${indented(optionRows(undefined))}`,
    `Exit codes:\n${indented([
      ['0', 'success'],
      ['1', 'the server refused, or something failed'],
      ['2', 'the command line makes no sense'],
      ['3', 'no server is running'],
      ['4', 'a server of another version is running'],
    ])}`,
  ].join('\n');
}

/** Returns the help text for one command. */
export function commandHelp(name: string): string {
  const { takes, help } = { ...commands, ...localCommands }[name] ?? { takes: undefined, help: '' };
  return [
    `Usage: porchlight ${takes === undefined ? name : `${name} ${takes}`} [options]\n`,
    `${help}.\n`,
    `Options:\n${indented(optionRows(name))}`,
  ].join('\n');
}

function optionRows(name: string | undefined): string[][] {
  return Object.entries(commandOptions(name)).map(([option, { value, help }]) => [
    value === undefined ? `--${option}` : `--${option} ${value}`,
    help,
  ]);
}
