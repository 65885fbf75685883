/** The command's exit codes. Documented in `porchlight --help`. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  noServer: 3,
  otherVersion: 4,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An error that ends the command. Its message is for the person at the keyboard. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly code: string;

  constructor(exitCode: ExitCode, code: string, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** Returns the error for an invalid command line. */
export const usageError = (message: string) => new CliError(exitCodes.usage, 'usage', message);
