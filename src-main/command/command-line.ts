import { parseArgs } from 'node:util';
import { type Given, type Option, usageError } from './command.ts';
import { commands, commonOptions, localCommands, type Shell, shells } from './commands.ts';
import { table } from './text.ts';

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
function commandOptions(name: string | undefined): Readonly<Record<string, Option>> {
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
  { value: expected }: Option,
  { rawName, value, inlineValue }: { rawName: string; value?: string; inlineValue?: boolean },
): string {
  if (expected === undefined) {
    if (value !== undefined) throw usageError(`${rawName} takes no value.`);
    return '';
  }
  // In `--photo --draft`, the value of `--photo` is missing. `--draft` must not count as this value.
  if (value === undefined || value === '' || (inlineValue !== true && value.startsWith('-')))
    throw usageError(`${rawName} needs a value: ${rawName} ${expected}.`);
  return value;
}

const inCommand = (name: string | undefined) => (name === undefined ? 'porchlight' : `“porchlight ${name}”`);

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

interface Completed {
  readonly name: string;
  readonly help: string;
  readonly options: readonly (readonly [string, Option])[];
  readonly words: 'file' | readonly string[];
}

/** Returns a script that completes commands, options and their values in a shell. */
export function completionScript(shell: Shell): string {
  return { bash, zsh, fish }[shell](everyCommand());
}

function everyCommand(): Completed[] {
  const words: Record<string, 'file' | readonly string[]> = {
    completion: shells,
    help: Object.keys(commands),
  };
  return [...Object.entries(commands), ...Object.entries(localCommands)].map(([name, command]) => ({
    name,
    help: command.help,
    options: Object.entries(commandOptions(name)),
    words: words[name] ?? ('completes' in command ? (command.completes ?? []) : []),
  }));
}

function bash(all: readonly Completed[]): string {
  const cases = all.map(({ name, options, words }) => {
    const flags = options.map(([option]) => `--${option}`).join(' ');
    const rest = words === 'file' ? 'files=1' : `words="${words.join(' ')}"`;
    return `    ${name}) flags="${flags}"; ${rest} ;;`;
  });
  const options = new Map(all.flatMap((command) => command.options));
  const withValue = [...options].filter(([, { value }]) => value !== undefined);
  const values = withValue.map(([option, { completes }]) =>
    completes === 'file' || completes === undefined
      ? `    --${option}) ${completes === 'file' ? 'compopt -o default; ' : ''}COMPREPLY=(); return ;;`
      : `    --${option}) COMPREPLY=($(compgen -W "${completes.join(' ')}" -- "$current")); return ;;`,
  );
  return `_porchlight() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" flags="" words="" files=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${all.map(({ name }) => name).join(' ')}" -- "$current"))
    return
  fi
  case "$previous" in
${values.join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [ -n "$files" ]; then
    compopt -o default
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _porchlight porchlight
`;
}

function zsh(all: readonly Completed[]): string {
  const list = all.map(({ name, help }) => `    ${quoted(`${name}:${help}`)}`);
  const cases = all.map(({ name, options, words }) => {
    const specs = options.map(([option, { value, completes, help }]) => {
      const text = help.replace(/[[\]:]/g, '\\$&');
      return quoted(`*--${option}[${text}]${value === undefined ? '' : `:${value}:${zshAction(completes)}`}`);
    });
    // A command without arguments gets `()`, an empty list of completions. With the blank that zshAction returns (an
    // empty message), zsh would not complete an option that is the only match.
    const rest = words.length === 0 ? '()' : zshAction(words);
    return `    ${name}) _arguments ${[...specs, quoted(`*: :${rest}`)].join(' ')} ;;`;
  });
  return `#compdef porchlight
_porchlight() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _porchlight ]; then _porchlight "$@"; else compdef _porchlight porchlight; fi
`;
}

function zshAction(completes: Option['completes']): string {
  if (completes === 'file') return '_files';
  return completes === undefined || completes.length === 0 ? ' ' : `(${completes.join(' ')})`;
}

function fish(all: readonly Completed[]): string {
  const lines = ['complete -c porchlight -f'];
  for (const { name, help, options, words } of all) {
    lines.push(`complete -c porchlight -n __fish_use_subcommand -a ${name} -d ${fishQuoted(help)}`);
    const when = `-n '__fish_seen_subcommand_from ${name}'`;
    for (const [option, { value, completes, help: text }] of options) {
      const files = completes === 'file' ? ' -F' : '';
      const list = Array.isArray(completes) ? ` -a ${fishQuoted(completes.join(' '))}` : '';
      // Without -x, fish suggests files for the value of an option. Options that take a file use -r (a value is
      // required) and -F (suggest files) instead.
      const needs = value === undefined ? '' : files === '' ? ` -x${list}` : ` -r${files}`;
      lines.push(`complete -c porchlight ${when} -l ${option} -d ${fishQuoted(text)}${needs}`);
    }
    if (words === 'file') lines.push(`complete -c porchlight ${when} -F`);
    else if (words.length > 0) lines.push(`complete -c porchlight ${when} -a ${fishQuoted(words.join(' '))}`);
  }
  return `${lines.join('\n')}\n`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const fishQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
