import { parseArgs } from 'node:util';
import type { Given, Option } from './command.ts';
import { usageError } from './errors.ts';
import { commands, commonOptions, localCommands } from './commands.ts';

/**
 * Parses a command line. The first word that isn't an option is the command's `name`.
 * @throws {CliError} `usage` for an unknown command or option, or for a missing or unexpected value.
 */
export function readCommandLine(argv: readonly string[]): { name: string | undefined; given: Given } {
  const { tokens, positionals } = parseArgs({
    args: [...argv],
    options: parserOptions(),
    strict: false,
    tokens: true,
  });
  const [name, ...rest] = positionals;
  if (name !== undefined) checkCommand(name);
  const options = commandOptions(name);
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!option) throw usageError(`${inCommand(name)} has no option ${token.rawName}.`);
    values.set(token.name, [...(values.get(token.name) ?? []), valueOf(option, token)]);
  }
  return {
    name,
    given: {
      words: rest,
      flag: (option) => values.has(option),
      values: (option) => values.get(option) ?? [],
    },
  };
}

/**
 * Checks that a command exists.
 * @throws {CliError} `usage` if it doesn't exist.
 */
export function checkCommand(name: string): void {
  if (!Object.hasOwn(commands, name) && !Object.hasOwn(localCommands, name))
    throw usageError(`There is no command “${name}”. Run “porchlight help” for the list.`);
}

/**
 * Checks the number of arguments after a command.
 * @throws {CliError} `usage` if there are too few or too many arguments.
 */
export function checkWords(name: string, { words }: Given): void {
  const command = commands[name];
  if (!command) return;
  const [least, most] = command.words;
  if (words.length > most) {
    const hint = name === 'post' ? ' Put a text with spaces in quotation marks.' : '';
    throw usageError(`“${words[most] ?? ''}” is one word too many for “porchlight ${name}”.${hint}`);
  }
  if (words.length < least) throw usageError(`“porchlight ${name}” needs ${command.takes ?? 'a word'}.`);
}

/** Returns the options of a command, with the common options last. */
export function commandOptions(name: string | undefined): Readonly<Record<string, Option>> {
  const own = name !== undefined && Object.hasOwn(commands, name) ? commands[name]?.options : undefined;
  return { ...own, ...commonOptions };
}

function parserOptions() {
  const all = [commonOptions, ...Object.values(commands).map(({ options }) => options)];
  return Object.fromEntries(
    all
      .flatMap((options) => Object.entries(options))
      .map(([name, { value }]) => [
        name,
        {
          type: value === undefined ? ('boolean' as const) : ('string' as const),
          ...(name === 'help' && { short: 'h' }),
        },
      ]),
  );
}

function valueOf(
  { value: wanted }: Option,
  { rawName, value, inlineValue }: { rawName: string; value?: string; inlineValue?: boolean },
): string {
  if (wanted === undefined) {
    if (value !== undefined) throw usageError(`${rawName} takes no value.`);
    return '';
  }
  // In `--photo --draft`, the value of `--photo` is missing. `--draft` must not count as this value.
  if (value === undefined || value === '' || (inlineValue !== true && value.startsWith('-')))
    throw usageError(`${rawName} needs a value: ${rawName} ${wanted}.`);
  return value;
}

const inCommand = (name: string | undefined) => (name === undefined ? 'porchlight' : `“porchlight ${name}”`);
