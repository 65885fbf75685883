import { type ErrorCode, PorchlightError } from '../contract/error.ts';
import { plainLine } from '../platform/plain-line.ts';
import {
  checkCommand,
  checkWords,
  commandHelp,
  completionScript,
  generalHelp,
  readCommandLine,
} from './command-line.ts';
import {
  CliError,
  type ExitCode,
  exitCodes,
  type Given,
  processTerminal,
  type Terminal,
  usageError,
} from './command.ts';
import { commands, shells } from './commands.ts';
import { findServer } from './connection.ts';
import { jsonLine } from './text.ts';

interface CommandRun {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly terminal: Terminal;
  /** Writes to stdout; resolves once the text is written. */
  readonly write: (text: string) => Promise<void>;
}

/** Runs a command line in this process. Returns its exit code after all output is written. */
export async function runHere(argv: readonly string[], version: string): Promise<ExitCode> {
  const { stdout, stderr, env } = process;
  // This empty listener keeps an `error` event from ending the process. Each write reports its own failure.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  const write = (text: string) => written(stdout, text);
  const code = await run({ argv, version, env, terminal: processTerminal(), write });
  await written(stderr, '').catch(() => undefined);
  return code;
}

/** Writes text. It isn't an error if the reader closes the pipe early (`porchlight mentions | head -1`). */
function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error && !('code' in error && error.code === 'EPIPE')) reject(error);
      else resolve();
    });
  });
}

/** Runs one command line. Returns the exit code; never rejects. */
async function run(options: CommandRun): Promise<ExitCode> {
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
  checkCommand(name);
  return commandHelp(name);
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
