import type { ErrorCode } from '../contract/error-code.ts';
import { PorchlightError } from '../contract/error.ts';
import { plainLine } from '../platform/plain-line.ts';
import { checkWords, readCommandLine } from './arguments.ts';
import type { Given } from './command.ts';
import { CliError, exitCodes, usageError, type ExitCode } from './errors.ts';
import { commands, localCommands, shells } from './commands.ts';
import { completionScript } from './completion.ts';
import { findServer } from './find-server.ts';
import { commandHelp, generalHelp } from './help.ts';
import type { Terminal } from './terminal.ts';
import { jsonLine } from './text.ts';

export interface CommandRun {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly terminal: Terminal;
  /** Writes to stdout; resolves once the text is written. */
  readonly write: (text: string) => Promise<void>;
}

/** Runs one command line. Returns the exit code; never rejects. */
export async function run(options: CommandRun): Promise<ExitCode> {
  try {
    await options.write(await textOf(options));
    return exitCodes.ok;
  } catch (error) {
    const { exitCode, code, message } = readable(error);
    const words = `porchlight: ${plainLine(message)}`;
    options.terminal.note(
      options.argv.includes('--json') ? jsonLine({ error: { code, message } }).trimEnd() : words,
    );
    return exitCode;
  }
}

async function textOf({ argv, env, version, terminal }: CommandRun): Promise<string> {
  const { name, given } = readCommandLine(argv);
  if (given.flag('version')) return `${version}\n`;
  if (name === undefined) return generalHelp();
  if (given.flag('help')) return commandHelp(name);
  if (name === 'help') return helpOn(given);
  if (name === 'completion') return completionFor(given);
  const command = commands[name];
  if (!command) return generalHelp();
  checkWords(name, given);
  const folder = given.values('data').at(-1) ?? (env['PORCHLIGHT_DATA'] || undefined);
  const server = await findServer(folder, env, version);
  if (!given.flag('json')) return (await command.run(server, given, terminal)).text;
  return jsonLine((await command.run(server, given, { ...terminal, progress: () => undefined })).json);
}

function helpOn({ words: [name] }: Given): string {
  if (name === undefined) return generalHelp();
  if (Object.hasOwn(commands, name) || Object.hasOwn(localCommands, name)) return commandHelp(name);
  throw usageError(`There is no command “${name}”. Run “porchlight help” for the list.`);
}

function completionFor({ words: [name] }: Given): string {
  const shell = shells.find((one) => one === name);
  if (!shell) throw usageError(`Name your shell: porchlight completion ${shells.join('|')}.`);
  return completionScript(shell);
}

function readable(error: unknown): { exitCode: ExitCode; code: ErrorCode; message: string } {
  if (error instanceof CliError) return error;
  if (error instanceof PorchlightError)
    return { exitCode: exitCodes.failure, code: error.code, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: exitCodes.failure, code: 'failed', message };
}
