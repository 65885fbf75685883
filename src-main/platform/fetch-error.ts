import { PorchlightError } from '../contract/error.ts';

const messages = {
  fetch_bad_url: 'Only http and https addresses without a user name or password can be fetched.',
  fetch_refused_address: 'This address is not on the public internet, so it is not fetched.',
  fetch_timeout: 'The other server took too long to answer.',
  fetch_too_large: 'The other server sent more than is accepted.',
  fetch_too_many_redirects: 'The other server redirects too often.',
  fetch_failed: 'The other server did not answer as expected.',
};

export type FetchErrorCode = keyof typeof messages;

/**
 * Why a guarded fetch gave no answer. The message may stand on a page that a stranger reads: it names no address
 * and no port, and nothing that a scan of the owner's network could use. `cause` has the details, for the log.
 */
export class FetchError extends PorchlightError {
  override readonly name = 'FetchError';

  constructor(code: FetchErrorCode, cause?: unknown) {
    super(code, code === 'fetch_failed' ? failureMessage(cause) : messages[code], 400, { cause });
  }
}

/** Turns whatever undici, DNS, TLS or zlib threw into the one kind of error that callers know. */
export function asFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  return new FetchError(
    errorCode(error) === 'UND_ERR_HEADERS_OVERFLOW' ? 'fetch_too_large' : 'fetch_failed',
    error,
  );
}

function failureMessage(cause: unknown): string {
  const code = errorCode(cause);
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code)) return 'The name of the other server could not be found.';
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) return 'The other server has no valid certificate.';
  return messages.fetch_failed;
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
