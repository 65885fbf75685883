import type { ErrorCode } from '../contract/error-code.ts';
import { PorchlightError } from '../contract/error.ts';

/** The exit codes of the `porchlight` command, which `porchlight --help` documents. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  noServer: 3,
  otherVersion: 4,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An error that ends the command. Its message is shown to the user. */
export class CliError extends PorchlightError {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(code: ErrorCode, message: string, exitCode: ExitCode = exitCodes.failure) {
    super(code, message);
    this.exitCode = exitCode;
  }
}

/** Returns the error for an invalid command line. */
export const usageError = (message: string) => new CliError('usage', message, exitCodes.usage);
