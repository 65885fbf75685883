import type { Option } from './command.ts';
import { commandOptions } from './arguments.ts';
import { commands, localCommands, shells, type Shell } from './commands.ts';

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
