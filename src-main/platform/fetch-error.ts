import type { FetchCode } from '../contract/error-code.ts';
import { PorchlightError } from '../contract/error.ts';
import { errorCode } from '../storage/storage-error.ts';

const unreachable = 'The other server could not be reached.';

/**
 * Three error codes share one message, because different messages would let strangers scan ports through this server.
 */
const messages: Record<FetchCode, string> = {
  fetch_bad_url: 'Only http and https addresses without a user name or password can be fetched.',
  fetch_refused_address: unreachable,
  fetch_timeout: unreachable,
  fetch_too_large: 'The other server sent more than is accepted.',
  fetch_too_many_redirects: 'The other server redirects too often.',
  fetch_failed: unreachable,
};

/**
 * The error of a guarded fetch that got no response. The message may be shown to strangers, so it reveals nothing that
 * would help to scan the owner's network. `detail` is for the owner only. `cause` is for the log.
 */
export class FetchError extends PorchlightError {
  override readonly name = 'FetchError';
  declare readonly code: FetchCode;
  /** The reason, as a message for the owner. */
  readonly detail: string;

  constructor(code: FetchCode, cause?: unknown) {
    super(code, messages[code], 400, { cause });
    this.detail = detailOf(code, cause);
  }

  /** Whether the other server could not be reached at all, for any reason. */
  get isUnreachable(): boolean {
    return this.message === unreachable;
  }
}

/** Turns any error from undici, DNS, TLS or zlib into a FetchError, the only type of error that callers handle. */
export function asFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  return new FetchError(
    errorCode(error) === 'UND_ERR_HEADERS_OVERFLOW' ? 'fetch_too_large' : 'fetch_failed',
    error,
  );
}

function detailOf(code: FetchCode, cause: unknown): string {
  if (code === 'fetch_refused_address')
    return 'This address isn’t on the public internet, or belongs to your own network, so Porchlight doesn’t open it.';
  if (code === 'fetch_timeout') return 'The other server took too long to answer.';
  if (code !== 'fetch_failed') return messages[code];
  const reason = errorCode(cause) ?? '';
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(reason)) return 'Porchlight couldn’t find the other server’s name.';
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(reason)) return 'The other server has no valid certificate.';
  return 'The other server did not answer as expected.';
}
