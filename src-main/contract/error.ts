import type { ErrorCode } from './error-code.ts';

/**
 * The base class of all errors that this project throws on purpose. `code` is stable and machine-readable: the OAuth,
 * IndieAuth or Micropub error name if one exists. `status` is the HTTP status on the public API. `message` is text that
 * is safe to show to people.
 */
export class PorchlightError extends Error {
  override readonly name: string = 'PorchlightError';
  readonly code: ErrorCode;
  readonly status: number;

  constructor(code: ErrorCode, message: string, status = 400, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = status;
  }
}
